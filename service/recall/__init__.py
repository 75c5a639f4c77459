"""Recall by words: an index of what was said and what was made of it, and the search on purpose."""
