"""Badia: everything that is about this game."""
