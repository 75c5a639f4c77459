"""Erased means erased: a mind, a session or a turn, everywhere it left words, with a receipt."""
