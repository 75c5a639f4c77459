"""HTTP doors. A route parses, calls one thing, and answers; faults become problems elsewhere."""
