"""One module a command: its options, what it does, and how the result looks."""
