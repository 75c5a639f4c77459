"""Reads conversation exports (our own JSONL, ChatGPT, agents' session files) as turns."""
