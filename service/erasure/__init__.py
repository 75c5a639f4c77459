"""Erasing a mind, a session or a turn from every place that holds its words."""
