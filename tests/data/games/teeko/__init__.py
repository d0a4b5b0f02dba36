"""Teeko, as a folder with a numbering of its own."""
