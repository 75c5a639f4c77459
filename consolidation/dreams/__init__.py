"""An agent's day: what it did, how it tires, sleeps and dreams, what it wakes to, and how its window is trimmed."""
