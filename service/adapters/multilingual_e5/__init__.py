"""multilingual-e5-small in this process: the embedder for a hundred languages that needs no network and no key."""
