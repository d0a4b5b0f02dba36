"""Hex, on small boards."""
