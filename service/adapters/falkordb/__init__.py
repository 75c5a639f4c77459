"""The graph on FalkorDB and Graphiti, embedded or on a server."""
