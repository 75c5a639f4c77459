"""The vocabulary all three packages share: turns, ports, errors, files, words. Imports nothing else of ours."""
