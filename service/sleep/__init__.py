"""An agent's day: what it does, how it tires, sleeps, dreams and wakes."""
