"""The stories of all minds: when they are written, what people do to them, what is imported before."""
