"""Repetition in Fanorona: captured pawns do not come back, so a capture is final."""

FINAL_CAPTURES = True
