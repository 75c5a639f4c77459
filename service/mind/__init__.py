"""One mind in memory: its folder, its transcript, its indexes, and its traces."""
