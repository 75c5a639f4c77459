"""The graph in memory, for tests and for trying things out: the same promises as FalkorDB's, no server, no file."""
