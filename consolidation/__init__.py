"""What the agent keeps, in files: the transcript and, built on it, the story. Knows no HTTP and no graph."""
