"""The doors and the graph: what a chatbot backend calls."""
