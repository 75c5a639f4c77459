"""The API of Graphiti's sample server, under `/graphiti`."""
