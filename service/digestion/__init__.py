"""The write path: from an accepted turn to episodes, facts and words that can be found."""
