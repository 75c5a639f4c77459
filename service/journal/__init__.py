"""The journal: what people write into MEMORY.md and memory/**/*.md, indexed, searched and read."""
