"""A home that is served, by one process or by several."""
