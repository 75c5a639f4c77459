"""The story as the service runs it: when it is told, what is read in before, what people do to it through a door."""
