"""What people put right: a log of their decisions, and what stands by them now."""
