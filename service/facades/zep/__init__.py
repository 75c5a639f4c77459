"""Zep's API for users, threads, memory and context, as its published clients call it, under `/zep`."""
