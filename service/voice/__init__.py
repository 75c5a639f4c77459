"""Speech in turns and in telephone streams: cut at silences, turned into text, and stored as what was said."""
