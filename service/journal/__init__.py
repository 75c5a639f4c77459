"""The journal: what people write into MEMORY.md and memory/**/*.md, cut into chunks, kept fresh, searched and read."""
