"""Judgement of attempts at puzzles: right or wrong, the reply, and the refutation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from damier.errors import DamierError
from damier.gameplay import Game
from damier.i18n import translate
from damier.position import Move, Position
from damier.solve import Value, line_of, probe_moves

if TYPE_CHECKING:
    from damier.learning.puzzles.collection import Puzzle

NEXT_MOVE = 2  # moves to a win that the solver makes with the next move
MAX_PUNISHMENT = 12  # moves of the refutation to show
NODES = 100_000  # search limit for the refutation if no table contains the position


@dataclass(frozen=True)
class AttemptVerdict:
    """Judgement of an attempt.

    `reply` is the opponent's next move, if the puzzle continues. After a wrong move `punishment` is
    the line of best play, and `exact` is whether it is proved. `said` is the text for the solver.
    """

    right: bool
    solved: bool
    reply: str | None
    punishment: tuple[str, ...]
    exact: bool
    said: str


def judge_attempt(puzzle: Puzzle, moves: Sequence[str]) -> AttemptVerdict:
    """Judge all moves since the puzzle's position. Moves to the same position are equivalent."""
    played = Game(puzzle.start)
    for k, text in enumerate(moves):
        move = played.parse_move(text)
        if k >= len(puzzle.line):
            raise DamierError("puzzle-over")
        if move.words != played.parse_move(puzzle.line[k]).words:
            if k % 2:
                raise DamierError("puzzle-reply", text=text, reply=puzzle.line[k])
            return _wrong(puzzle, played, move)
        played = played.play(move)
    done = len(moves)
    if done == len(puzzle.line):
        return AttemptVerdict(True, True, None, (), True, _solution_text(puzzle, played))
    if done % 2:
        return AttemptVerdict(True, False, puzzle.line[done], (), True, translate("puzzle.right"))
    return AttemptVerdict(True, False, None, (), True, puzzle.task)


def next_solution_move(puzzle: Puzzle, moves: Sequence[str]) -> tuple[Position, Move]:
    """Return the next move of the solution, and the position in which it is played."""
    verdict = judge_attempt(puzzle, moves)
    played = Game(puzzle.start).play(*moves)
    done = len(moves)
    if verdict.reply is not None:
        played, done = played.play(verdict.reply), done + 1
    if not verdict.right or verdict.solved:
        raise DamierError("puzzle-over")
    return played.position, played.parse_move(puzzle.line[done])


def hint_cells(puzzle: Puzzle, moves: Sequence[str]) -> list[str]:
    """Return the cells where the next move of the solution begins."""
    _, move = next_solution_move(puzzle, moves)
    first = move.described[0]
    return [cell for cell in (first.origin or first.target,) if cell]


def _solution_text(puzzle: Puzzle, played: Game) -> str:
    """Return the text after the last move of a solution: what is known about the rest."""
    if played.result():
        return translate("puzzle.solved.end")
    if puzzle.kind == "avoid":
        return translate("puzzle.solved.avoid", within=puzzle.within, held=puzzle.held)
    if puzzle.kind == "most":
        count = count_captures(played.moves_played[-1])
        return translate("puzzle.solved.most", count=count)
    if puzzle.kind == "draw":
        return translate("puzzle.solved.draw")
    if puzzle.rest is None:
        return translate("puzzle.solved.won")
    if played.position.side == puzzle.start.side:  # a drop and a move of the same player
        own, text = (puzzle.rest + 1) // 2, "now"
    else:
        own, text = puzzle.rest // 2, "next"
    if own == 0:
        return translate("puzzle.solved.reply")
    if own == 1 and puzzle.rest <= NEXT_MOVE:
        return translate(f"puzzle.solved.{text}")
    return translate("puzzle.solved.won-in", count=own)


def _wrong(puzzle: Puzzle, played: Game, move: Move) -> AttemptVerdict:
    """Return the judgement of a wrong move."""
    after = played.play(move)
    if puzzle.kind == "most":
        taken, possible = (
            count_captures(move),
            count_captures(played.parse_move(puzzle.line[played.ply])),
        )
        message = translate("puzzle.wrong.most", taken=taken, possible=possible)
        return AttemptVerdict(False, False, None, (), True, message)
    result = after.result()
    if result is not None:
        outcome = "draw" if result.winner is None else "loss"
        message = translate(f"puzzle.wrong.{outcome}")
        return AttemptVerdict(False, False, None, (), True, f"{message} {result.sentence()}")
    value, line = _punishment(after)
    if value is None:  # unproved: report only that the goal is missed
        left = (puzzle.within or 0) - (played.ply // 2 if puzzle.kind == "win-in" else 0)
        message = (
            f"{translate(f'puzzle.not.{puzzle.kind}', count=left)} {translate('puzzle.engine')}"
        )
    else:
        same = after.position.side == played.position.side
        outcome = value.outcome if same else value.before().outcome
        message = translate(f"puzzle.wrong.{outcome}")
    return AttemptVerdict(False, False, None, tuple(line), value is not None, message)


def count_captures(move: Move) -> int:
    """Return how many pawns a move captures."""
    return sum(len(step.takes) for step in move.described)


def _punishment(game: Game) -> tuple[Value | None, list[str]]:
    """Return the value of a game, None if unknown, and its line of best play."""
    valued = probe_moves(game)
    if valued and len(valued) == len(game.legal_moves()) and not valued[0][1].bound:
        line = line_of(game, *valued[0], max_moves=MAX_PUNISHMENT)
        return valued[0][1], [move.text for move in line]
    from damier.search import analyse  # slow to import, seldom needed

    best = analyse(game, nodes=NODES).moves[0]
    outcomes = {"win": Value("win"), "draw": Value("draw"), "loss": Value("loss")}
    return outcomes.get(best.outcome or ""), list(best.line[:MAX_PUNISHMENT])
