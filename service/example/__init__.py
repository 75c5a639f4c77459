"""An example life that ships with the service, and what loads it into a mind of its own."""
