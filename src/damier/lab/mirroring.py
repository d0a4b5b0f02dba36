"""Mirroring: whether the second player can copy the first player's moves, and what it is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from damier.arena import MAX_MOVES
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games.run_time_errors import located_errors
from damier.lab import intervals
from damier.lab.fairness import finished_games, points
from damier.lab.report import Figure
from damier.lab.samples import prepare
from damier.players import Player, player
from damier.position import Rules

TRIALS = 4  # random games in which each symmetry is tried
SYMMETRIES = 8


def mirrors(rules: Rules) -> list[int]:
    """Return the symmetries under which the start is its own image with the colours swapped."""
    if not rules.module.COLOUR_SWAP:
        return []
    start = rules.start()
    found = []
    for symmetry in range(len(rules.board.symmetries)):
        image = start.transformed(symmetry, swap=True)
        if (image.white, image.black) == (start.white, start.black):
            found.append(symmetry)
    return found


def reply(game: Game, symmetry: int) -> str | None:
    """Return the image of the last move, with the colours swapped, if it is legal."""
    if not game.ply:
        return None
    try:
        text = game.moves_played[-1].transformed(symmetry, swap=True).text
        return game.parse_move(text).text
    except DamierError:
        return None


def play(rules: Rules, who: str, symmetry: int, seed: int) -> dict[str, Any]:
    """Play a game in which the second player copies each move that can be copied.

    The result is that of a sample game, with the number of replies and how many of them were
    copies. Both players are otherwise of strength `who`.
    """
    with located_errors():
        prepare(rules)
        players = [player(who, 2 * seed + k) for k in range(2)]
        game, replies, copied = Game(rules), 0, 0
        first = game.position.side
        while game.ply < MAX_MOVES and game.result() is None:
            second = game.position.side != first
            copy = reply(game, symmetry) if second else None
            replies += second
            copied += copy is not None
            chosen: Player = players[second]
            game = game.play(chosen.choose(game) if copy is None else copy)
        result = game.result()
    winner = None
    if result is not None and result.winner is not None:
        winner = "first" if result.winner == first else "second"
    return {
        "moves": game.ply,
        "winner": winner,
        "reason": result.reason if result is not None else None,
        "replies": replies,
        "copied": copied,
    }


def best_mirror(trials: Mapping[int, Sequence[Mapping[str, Any]]]) -> int:
    """Return the symmetry whose copies were legal most often."""
    return max(trials, key=lambda symmetry: (copied_share(trials[symmetry]), -symmetry))


def copied_share(games: Sequence[Mapping[str, Any]]) -> float:
    """Return the share of replies that were copies."""
    replies = sum(game["replies"] for game in games)
    return float(sum(game["copied"] for game in games) / max(1, replies))


def figures(
    games: Sequence[Mapping[str, Any]], usual: Sequence[Mapping[str, Any]], who: str
) -> list[Figure]:
    """Return the figures, compared with the usual games of the same strength."""
    shares = [game["copied"] / game["replies"] for game in games if game["replies"]]
    scores = [[1 - points(game) for game in finished_games(found)] for found in (games, usual)]
    gain = intervals.bounded_difference(scores[0], scores[1], 0.0, 1.0)
    copied, score = (intervals.mean(values, 0.0, 1.0) for values in (shares, scores[0]))
    return [
        Figure.measured("mirrored", copied, "share", "mirrored", strength=who),
        Figure.measured("mirror-score", score, "share", "mirrored", strength=who),
        Figure.measured("mirror-gain", gain, "points", "mirrored", strength=who),
    ]
