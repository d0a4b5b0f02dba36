"""Repetition in Seega: captured pawns do not come back, so a capture is final."""

FINAL_CAPTURES = True
