"""A mind as one archive, out of one home and into another; and what is derived of a mind, built anew."""
