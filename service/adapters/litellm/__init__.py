"""Language models, embedders and chat upstreams through litellm."""
