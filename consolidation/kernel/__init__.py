"""What all packages share: turns, ports, clocks, errors, files. It imports nothing else of ours."""
