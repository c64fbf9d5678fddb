"""What a user has set: the keys there are, and what holds for a file."""
