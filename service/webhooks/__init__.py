"""What happens in minds, posted to addresses that the settings name: a durable outbox, and who sends from it."""
