"""Chefa: rules, evaluation, levels, numbering and solver."""
