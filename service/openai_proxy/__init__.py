"""An OpenAI-compatible endpoint that recalls before each chat and stores the turn after it."""
