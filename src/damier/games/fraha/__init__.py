"""Fraha: everything that is about this game."""
