"""Tapatan, a game of the Philippines."""
