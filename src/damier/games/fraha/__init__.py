"""Fraha: rules, evaluation, levels, numbering and solver."""
