"""Draughts with kings, on small boards."""
