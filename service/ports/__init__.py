"""What the service needs from outside: a graph, an embedder, an upstream model, spans."""
