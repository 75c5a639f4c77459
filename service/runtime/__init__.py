"""What a running service needs of its process: jobs in the background, and the file by which others find it."""
