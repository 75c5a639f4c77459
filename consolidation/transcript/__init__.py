"""The append-only log of every accepted turn: the source of truth that every other store is derived from."""
