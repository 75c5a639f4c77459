"""Copies of a mind's files in a folder of a person's own machine, kept in step with a service."""
