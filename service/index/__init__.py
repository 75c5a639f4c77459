"""What is derived from a mind and stored beside it: full text and the journal index."""
