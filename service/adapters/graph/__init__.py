"""The graph: our FalkorDB server, the connection to it, our own queries, and Graphiti on the same graph."""
