"""Fanorona: rules, evaluation, levels, numbering and solver."""
