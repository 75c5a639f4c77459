"""The autobiography in STORY.md, which people and we write: narrated, checked, and written without losing an edit."""
