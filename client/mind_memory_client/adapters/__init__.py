"""Memory for agent frameworks: one module for each, imported only where its framework is installed."""
