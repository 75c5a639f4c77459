"""One home in several processes: who has which mind, how calls reach it, and who starts the processes."""
