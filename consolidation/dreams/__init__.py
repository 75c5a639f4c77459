"""What an agent does between its actions: it wonders."""
