"""One module, or one folder, per outside package; nothing else may import it."""
