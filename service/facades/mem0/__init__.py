"""mem0's API, as its published client and its own server have it, under `/mem0`."""
