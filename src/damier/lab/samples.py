"""Sample games between equal players, and their analysis, as tasks that return JSON data."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from damier.arena import MAX_MOVES
from damier.errors import DamierError
from damier.execution import is_worker_process
from damier.gameplay import Game
from damier.games.run_time_errors import located_errors
from damier.players import Player, player
from damier.position import Position, Rules, Step
from damier.search import Engine, Limits, ready, warm
from damier.search.analysis import FAULTS, chance_of
from damier.search.root import MAX_ANALYSED

ANALYSIS_NODES = 500  # for each position of an analysed game
COMPARED_NODES = 4000  # for the values of all moves of a position
COMPARED = 6  # positions of a game whose moves are compared
CLEAR_LEAD = 0.1  # the leader's winning chance is this much above one half


def play(rules: Rules, who: str, seed: int) -> dict[str, Any]:
    """Play a game between two equal players from the start.

    The result has the moves, the winner ("first", "second" or None), the reason of the end (None if
    the game was stopped), and the nodes searched.
    """
    with located_errors():
        prepare(rules)
        players = [player(who, 2 * seed + k) for k in range(2)]
        game, nodes = Game(rules), 0
        first = game.position.side
        while game.ply < MAX_MOVES and game.result() is None:
            chosen: Player = players[game.position.side != first]
            game = game.play(chosen.choose(game))
            nodes += chosen.search_stats.nodes if chosen.search_stats else 0
        result = game.result()
    winner = None
    if result is not None and result.winner is not None:
        winner = "first" if result.winner == first else "second"
    return {
        "moves": [move.text for move in game.moves_played],
        "winner": winner,
        "reason": result.reason if result is not None else None,
        "nodes": nodes,
    }


def analyse(rules: Rules, moves: list[str], seed: int) -> dict[str, Any]:
    """Analyse a game: legal moves, kinds of steps, cells used, the lead, and errors available.

    `lead` is the first player's winning chance before each move. `compared` has, for some positions
    that are chosen at random, the numbers of legal moves, of blunders and of good moves; `passes`
    has for them how much better it would be to pass. `forms` are the forms of the moves.
    """
    with located_errors():
        prepare(rules)
        return _analyse(rules, moves, seed)


def _analyse(rules: Rules, moves: list[str], seed: int) -> dict[str, Any]:
    final = Game(rules).play(*moves)
    games = [final.at(ply) for ply in range(len(moves))]
    first = final.start.side
    rng = random.Random(seed)
    chosen = set(rng.sample(range(len(moves)), min(COMPARED, len(moves))))
    engine = Engine(rules, expected_nodes=COMPARED_NODES, compiled=ready(rules))
    kinds: Counter[str] = Counter()
    found_forms: Counter[str] = Counter()
    cells: set[str] = set()
    counts, lead, compared, passes, captures = [], [], [], [], 0
    for ply, (game, played) in enumerate(zip(games, final.moves_played, strict=True)):
        try:
            counts.append(len(game.legal_moves(MAX_ANALYSED)))
        except DamierError:  # more moves than are listed
            counts.append(MAX_ANALYSED)
        steps = played.described
        kinds.update(step.kind for step in steps)
        found_forms.update(forms(steps))
        captures += any(step.takes for step in steps)
        cells.update(cell for step in steps for cell in (step.origin, step.target) if cell)
        value = engine.think(game, Limits(nodes=ANALYSIS_NODES)).best.value
        chance = chance_of(rules, value)
        lead.append(round(chance if game.position.side == first else 1 - chance, 4))
        if ply in chosen and 1 < counts[-1] < MAX_ANALYSED:
            found = engine.think(game, Limits(nodes=COMPARED_NODES), multipv=True).moves
            chances = sorted((chance_of(rules, root.value) for root in found), reverse=True)
            lost = [chances[0] - chance for chance in chances]
            blunders = sum(loss >= FAULTS["blunder"] for loss in lost)
            compared.append([len(lost), blunders, sum(loss < FAULTS["mistake"] for loss in lost)])
            passed = _chance_after_pass(engine, game)
            if passed is not None:
                passes.append(round(passed - chances[0], 4))
    return {
        "legal": counts,
        "kinds": dict(sorted(kinds.items())),
        "cells": len(cells),
        "captures": captures,
        "lead": lead,
        "compared": compared,
        "passes": passes,
        "forms": dict(sorted(found_forms.items())),
    }


def forms(steps: Sequence[Step]) -> set[str]:
    """Return the forms of a move: kinds of its steps, captures, several captures or pawns sent."""
    found = {f"kind:{step.kind}" for step in steps}
    taken = sum(len(step.takes) for step in steps)
    sent = sum(step.kind == "put" for step in steps) + sum(len(step.puts) for step in steps)
    found |= {f"takes:{count}" for count in (1, 2) if taken >= count}
    found |= {f"puts:{count}" for count in (1, 2) if sent >= count}
    return found


def after_pass(position: Position) -> Position | None:
    """Return a position with the other side to move; None if the game would be over."""
    other = Position(position.rules, position.white, position.black, position.rest ^ 1)
    return None if other.over else other


def _chance_after_pass(engine: Engine, game: Game) -> float | None:
    """Return the winning chance of the side to move if it could pass."""
    passed = after_pass(game.position)
    if passed is None:
        return None
    found = engine.think(Game(passed), Limits(nodes=COMPARED_NODES)).best.value
    return 1 - chance_of(game.rules, found)


def lead_changes(lead: list[float]) -> int:
    """Return how often the leader changes, ignoring positions without a clear lead."""
    signs = [value > 0.5 for value in lead if abs(value - 0.5) >= CLEAR_LEAD]
    return sum(one != other for one, other in pairwise(signs))


def drama(lead: list[float], winner: str | None) -> float:
    """Return how far the winner was behind at worst, from 0 to 1 (Browne's drama, at its peak)."""
    if winner is None or not lead:
        return 0.0
    worst = min(lead) if winner == "first" else 1 - max(lead)
    return max(0.0, 1 - 2 * worst)


def prepare(rules: Rules) -> None:
    """Load the compiled search in a worker process."""
    if is_worker_process():
        warm(rules)
