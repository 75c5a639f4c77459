"""From one turn to entities and facts, whatever answers: a hosted model in at most three calls, or no model at all."""
