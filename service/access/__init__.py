"""Who is let in, and to which minds."""
