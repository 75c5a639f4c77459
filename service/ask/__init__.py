"""A question answered from memory: each line with its sources, and what is not remembered named."""
