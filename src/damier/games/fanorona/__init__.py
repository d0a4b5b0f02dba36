"""Fanorona: everything that is about this game."""
