"""Threats: what the side that is not to move could do if the mover passed.

Passing is not in the rules of most games, so a threat counts only if a real move of the mover
leaves it possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from damier import notation
from damier.gameplay import Game
from damier.games import RulesModule, Words
from damier.games.constants import WHITE_WINS
from damier.position import Move, Position, Result

MAX_EXAMINED = 2000  # moves of a position; where there are more, no threat is found
MAX_REPLIES = 60  # moves among which one is sought that leaves a threat possible


@dataclass(frozen=True)
class Threat:
    """Move that wins at once, with the reason of the win, or that captures pawns on cells."""

    move: str
    reason: str = ""
    takes: tuple[str, ...] = ()


def may_win(game: Game) -> bool:
    """Return whether a legal move wins at once by the position that it reaches, or may do so.

    Too many moves to examine may contain one.
    """
    position, moves = game.position, _moves(game.position)
    side, module = position.rest & 1, position.rules.module
    return moves is None or any(
        _wins(module, words, side) and not game.forbids(words) for _, words in moves
    )


def may_capture(position: Position) -> bool:
    """Return whether a legal move captures, or may do so because there are too many to examine."""
    return _moves(position) is None or largest_capture(position) is not None


def winning_threats(game: Game) -> list[Threat]:
    """Return the moves by which the side that is not to move threatens to win at once."""
    waiting = _with_other_side_to_move(game.position)
    if waiting is None:
        return []
    module = game.rules.module
    found: dict[str, Threat] = {}
    for steps, words in _moves(waiting) or ():
        if _wins(module, words, waiting.rest & 1) and not game.forbids(words):
            text = notation.move_text(*_module_and_words(waiting), steps)
            result = Result.of(module, module.legal(*words, [0] * module.GROUPS))
            if (
                text not in found
                and result is not None
                and _is_still_possible(game, text, wins=True)
            ):
                found[text] = Threat(text, result.reason)
    return list(found.values())


def capture_threat(game: Game) -> Threat | None:
    """Return the largest capture that the side that is not to move threatens, if any."""
    waiting = _with_other_side_to_move(game.position)
    if waiting is None or not game.rules.module.CAPTURES:
        return None
    largest = largest_capture(waiting)
    if largest is None or not _is_still_possible(game, largest.text, wins=False):
        return None
    return Threat(largest.text, takes=captured_cells(largest))


def largest_capture(position: Position) -> Move | None:
    """Return the move that captures most pawns, the first by text; None if none is known."""
    own = position.rest & 1
    enemies = position.words[1 - own].bit_count()
    taken = [
        (enemies - words[1 - own].bit_count(), steps, words)
        for steps, words in _moves(position) or ()
    ]
    most = max((count for count, _, _ in taken), default=0)
    if most <= 0:
        return None
    named = (
        (notation.move_text(*_module_and_words(position), steps), steps, words)
        for count, steps, words in taken
        if count == most
    )
    text, steps, words = min(named, key=lambda one: (len(one[0]), one[0]))
    return Move(position, text, steps, words)


def captured_cells(move: Move) -> tuple[str, ...]:
    """Return the cells of the pawns that a move captures."""
    return tuple(cell for step in move.described for cell in step.takes)


def _with_other_side_to_move(position: Position) -> Position | None:
    """Return the position with the other side to move; None if it is no position to judge."""
    words = position.white, position.black, position.rest ^ 1
    waiting = Position(position.rules, *words)
    if position.unfinished or position.over or waiting.over:
        return None
    return waiting


def _is_still_possible(game: Game, text: str, wins: bool) -> bool:
    """Return whether a move of the mover leaves a threat possible with the same effect."""
    side, module = game.position.rest & 1, game.rules.module
    enemies = game.position.words[side].bit_count()
    seen: set[Words] = set()
    for _, words in game.position.ends():
        if words in seen or words[2] & 1 == side or game.forbids(words):
            continue
        seen.add(words)
        if len(seen) > MAX_REPLIES:
            return False
        if module.legal(*words, [0] * module.GROUPS):
            continue
        read, _ = notation.read_move(module, notation.Reading("", (), words), text)
        if read is None or (wins and not _wins(module, read.words, 1 - side)):
            continue
        if wins or read.words[side].bit_count() < enemies:
            return True
    return False


def _wins(module: RulesModule, words: Words, side: int) -> bool:
    """Return whether a side has won in a position."""
    return module.legal(*words, [0] * module.GROUPS) & 3 == WHITE_WINS + side


def _moves(position: Position) -> list[tuple[tuple[int, ...], Words]] | None:
    """Return the moves of a position, each by its steps; None if there are too many."""
    found = list(islice(position.ends(), MAX_EXAMINED + 1))
    return found if len(found) <= MAX_EXAMINED else None


def _module_and_words(position: Position) -> tuple[RulesModule, Words]:
    return position.rules.module, position.words
