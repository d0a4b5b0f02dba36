"""Seega: everything that is about this game."""
