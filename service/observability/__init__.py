"""What is measured and logged about the service: counters, timings, model costs, health of dependencies."""
