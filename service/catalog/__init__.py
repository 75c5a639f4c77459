"""What a mind holds, in pages, to look at: sessions, turns, facts, entities, and the graph as columns."""
