"""Corrections as the API offers them: which memory is meant, what may be decided of it, and what follows."""
