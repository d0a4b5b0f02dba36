"""Seega: rules, evaluation, levels, numbering and solver."""
