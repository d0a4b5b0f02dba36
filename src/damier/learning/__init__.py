"""Learning by playing: lessons, puzzles, training schedules and ratings."""
