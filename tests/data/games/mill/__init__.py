"""Mill, a game of the tests."""
