"""What searching before a turn and searching on purpose share."""
