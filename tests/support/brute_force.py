"""Exhaustive search by the rules alone, to check optimised code against."""

import damier


def can_force_win(game: damier.Game, side: str, moves: int) -> bool:
    """Return whether a side can force a win within a number of moves."""
    result = game.result()
    if result is not None:
        return result.winner == side
    if moves == 0:
        return False
    ways = (can_force_win(game.play(move), side, moves - 1) for move in game.legal_moves())
    return any(ways) if game.position.side == side else all(ways)
