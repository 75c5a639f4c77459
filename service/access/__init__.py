"""Authentication and authorisation: who is let in, and to which minds."""
