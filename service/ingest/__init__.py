"""From a posted turn to the graph: intake, then three background lanes."""
