"""Reading conversation exports (our own JSONL, ChatGPT, LoCoMo) into turns; pure but for reading the files."""
