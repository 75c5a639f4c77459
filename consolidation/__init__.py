"""What the agent remembers, in files: the transcript and, built on it, the story. It knows no HTTP and no graph."""
