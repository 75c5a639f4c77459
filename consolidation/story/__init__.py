"""The autobiography in STORY.md: people's and ours; read, planned, checked, and written without losing an edit."""
