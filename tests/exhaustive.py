"""What is found by trying everything, by the rules alone: to check what is cleverer."""

import damier


def won_in(game: damier.Game, side: str, turns: int) -> bool:
    """Tell by looking at everything whether a side can end the game in its favour in time."""
    result = game.result()
    if result is not None:
        return result.winner == side
    if turns == 0:
        return False
    ways = (won_in(game.play(turn), side, turns - 1) for turn in game.turns())
    return any(ways) if game.position.side == side else all(ways)
