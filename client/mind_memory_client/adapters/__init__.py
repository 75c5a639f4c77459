"""Memory for the frameworks people use: a module each, imported only where its framework is installed."""
