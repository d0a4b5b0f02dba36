"""Badia: rules, evaluation, levels, numbering and solver."""
