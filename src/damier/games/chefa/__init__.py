"""Chefa: everything that is about this game."""
