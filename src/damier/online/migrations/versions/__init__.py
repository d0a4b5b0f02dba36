"""The migrations, in order of their number."""
