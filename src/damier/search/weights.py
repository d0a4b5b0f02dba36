"""The weights of the estimates: in the folder of each game, in force or written anew."""

import json
from functools import cache

from damier.games import GAMES


@cache
def scale_of(game: str) -> int:
    """Return the advantage that wins with 73 %, in a game's own unit."""
    return GAMES[game].weights.scale


def write(game: str, source: str, weights: dict[str, int]) -> None:
    """Put new weights of a game into its folder."""
    folder = GAMES[game]
    entry = {"source": source, "scale": folder.weights.scale, "weights": weights}
    (folder.directory / "weights.json").write_text(json.dumps(entry, indent=1) + "\n", "utf-8")
