"""Export a mind as one archive, import it, and rebuild what is derived from its transcript."""
