"""Measurement of the strategic ideas that the lessons teach.

    python tools/lesson_ideas.py [--game NAME] [--games N]

Level 3 plays itself from openings of four random moves, or from the start in games with a placing
phase. The same number of games gives the same figures. For each idea the printed table compares
the wins, draws and losses of a side in positions where the idea holds and where it does not. The
outcome is taken from a table of solved positions if there is one, else from the end of the game.
Ideas about moves are counted move by move.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator

import damier
from damier import Position, arena, solve
from damier.gameplay import Game
from damier.players import player
from damier.search import analyse

MAX_PLIES = 200
NODES = 20_000  # of the analysis of a position
FAULT = 0.09  # loss of winning chance, as in an analysis
Idea = Callable[[Position, str], bool | None]  # None: the idea does not apply

RING = tuple(f + r for f, r in zip("abcdeeeeedcbaaaa", "1111123455555432", strict=True))
CORNERS = ("a1", "a5", "e1", "e5")
ARROWS = ("c1", "a3", "c5", "e3")


def cells(position: Position, names: list[str] | tuple[str, ...]) -> int:
    """Return some cells as bits."""
    return sum(1 << position.rules.board.indices[name] for name in names)


def own(position: Position, side: str) -> int:
    """Return the pawns of a side."""
    return position.white if side == "w" else position.black


def enemy(side: str) -> str:
    """Return the other side."""
    return "b" if side == "w" else "w"


def exile(position: Position, side: str) -> bool | None:
    """Return whether a black pawn is in a corner; the idea applies to White only."""
    return None if side == "b" else bool(position.black & cells(position, CORNERS))


def shelter(position: Position, side: str) -> bool | None:
    """Return whether two white pawns form a row that ends in a corner."""
    if side == "b":
        return None
    pairs = [(RING[k], RING[(k + way) % 16]) for k in range(0, 16, 4) for way in (1, -1)]
    return any(cells(position, pair) & ~position.white == 0 for pair in pairs)


def four_together(position: Position, side: str) -> bool | None:
    """Return whether a side has four pawns in the five cells of a block."""
    if (position.white | position.black).bit_count() < 10:
        return None
    rows = [[RING[(k + j) % 16] for j in range(5)] for k in range(16)]
    blocks = [row for row in rows if len(set(row) & set(ARROWS)) == 1]
    return any((own(position, side) & cells(position, row)).bit_count() >= 4 for row in blocks)


def on_an_arrow(position: Position, side: str) -> bool | None:
    """Return whether a side has a pawn on an arrow."""
    if (position.white | position.black).bit_count() < 10:
        return None
    return bool(own(position, side) & cells(position, ARROWS))


def moving(position: Position) -> bool:
    """Return whether the placing phase is over and a pawn has moved."""
    return str(position).split()[4] != "s"


def refuge(position: Position, side: str) -> bool | None:
    """Return whether a side has a pawn on the refuge, the central cell."""
    return bool(own(position, side) & cells(position, ("c3",))) if moving(position) else None


def more_pawns(by: int) -> Idea:
    """Return the idea of being ahead by so many pawns."""

    def idea(position: Position, side: str) -> bool | None:
        if not (position.rules.module.hands(*position.words) is None or moving(position)):
            return None  # during placing the count of pawns means nothing
        ahead = own(position, side).bit_count() - own(position, enemy(side)).bit_count()
        return None if abs(ahead) < by else ahead > 0

    return idea


IDEAS: dict[str, dict[str, Idea]] = {
    "fraha": {
        "a black pawn in a corner of the board": exile,
        "a row that ends in a corner": shelter,
    },
    "badia": {
        "four pawns in a block's five cells": four_together,
        "a pawn on an arrow": on_an_arrow,
    },
    "seega": {"a pawn on the refuge": refuge, "two pawns more": more_pawns(2)},
    "fanorona": {"three pawns more": more_pawns(3)},
}


def play_game(rules: damier.Rules, seed: int) -> Iterator[Game]:
    """Yield a game after each move, its end included."""
    placed = rules.module.hands(*rules.start().words) is not None
    game = Game(rules.start() if placed else arena.opening(rules, seed))
    both = {side: player("level:3", 2 * seed + k) for k, side in enumerate("wb")}
    while not game.over and game.ply < MAX_PLIES:
        yield game
        game = game.play(both[game.position.side].choose(game))
    yield game


def measure(rules: damier.Rules, games: int) -> dict[str, dict[bool, Counter[str]]]:
    """Count the outcomes of positions where each idea holds and where it does not."""
    table = solve.find(rules)
    ideas = IDEAS.get(rules.name, {})
    found = {name: {True: Counter[str](), False: Counter[str]()} for name in ideas}
    for seed in range(games):
        line = list(play_game(rules, seed))
        result = line[-1].result()
        for game in line[:-1]:
            position = game.position
            winner = result.winner if result else None
            if table is not None:
                known = table.probe(position)
                assert known is not None
                sides = {"win": position.side, "loss": enemy(position.side), "draw": None}
                winner = sides[known.outcome]
            for name, idea in ideas.items():
                for side in "wb":
                    holds = idea(position, side)
                    if holds is not None:
                        end = "draw" if winner is None else "win" if winner == side else "loss"
                        found[name][holds][end] += 1
    return found


def parries(rules: damier.Rules, games: int) -> Counter[str]:
    """Count the moves that stop a threat, in positions where at most a third of them do."""
    count: Counter[str] = Counter()

    def wins_at_once(position: Position) -> bool:
        ends = (move.after.result() for move in position.iter_legal_moves())
        return any(end is not None and end.winner == position.side for end in ends)

    for seed in range(games):
        for game in list(play_game(rules, seed))[8:-1]:
            moves = game.position.legal_moves()
            if wins_at_once(game.position):
                continue
            good = [t for t in moves if not t.after.over and not wins_at_once(t.after)]
            if good and len(good) <= len(moves) // 3:
                count["positions"] += 1
                count["turns that stop it"] += len(good)
                count["of these, swaps"] += sum("=" in move.text for move in good)
                count["legal turns"] += len(moves)
                count["of all, swaps"] += sum("=" in move.text for move in moves)
    return count


def greed(rules: damier.Rules, games: int) -> Counter[str]:
    """Count how often the largest capture is the best move, if it takes at least two pawns."""
    count: Counter[str] = Counter()
    for seed in range(games):
        for game in list(play_game(rules, seed))[:-1:3]:
            valued = analyse(game, nodes=NODES).moves
            takes = [sum(len(step.takes) for step in v.move.described) for v in valued]
            if max(takes) < 2:
                continue
            most = max(v.chance for v, n in zip(valued, takes, strict=True) if n == max(takes))
            count["positions"] += 1
            count["the greatest capture is the best turn"] += takes[0] == max(takes)
            count["the greatest capture is a fault"] += valued[0].chance - most > FAULT
    return count


MOVE_IDEAS = {"chefa": parries, "fanorona": greed}


def main() -> None:
    """Print the figures of one game or of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=sorted(IDEAS.keys() | MOVE_IDEAS))
    parser.add_argument("--games", type=int, default=60, metavar="N")
    args = parser.parse_args()
    for name in [args.game] if args.game else sorted(IDEAS.keys() | MOVE_IDEAS):
        rules = damier.load_rules(name)
        for idea, counts in measure(rules, args.games).items():
            for holds, ends in counts.items():
                of = ends.total() or 1
                shares = ", ".join(
                    f"{end} {100 * ends[end] / of:.1f} %" for end in ("win", "draw", "loss")
                )
                print(f"{name}: {idea}: {'with' if holds else 'without'} ({of}): {shares}")
        if name in MOVE_IDEAS:
            for what, number in MOVE_IDEAS[name](rules, args.games).items():
                print(f"{name}: {what}: {number}")


if __name__ == "__main__":
    main()
