"""Builds the service from settings: the only package that chooses implementations."""
