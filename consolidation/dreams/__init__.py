"""What an agent does between its actions: it wonders, and its context window is trimmed."""
