"""Answers to who tries a puzzle: right or wrong, the reply, and what a wrong turn runs into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from damier.errors import DamierError
from damier.history import Game
from damier.lang import say
from damier.position import Turn
from damier.solve import Value, line_of, probe_turns

if TYPE_CHECKING:
    from damier.puzzles.stored import Puzzle

# How far a punishment is played out, in turns; and where no table knows it, how many nodes are
# searched for it.
LONGEST, NODES = 12, 100_000


@dataclass(frozen=True)
class Verdict:
    """What a try is worth.

    `reply` is the opponent's next turn, if the puzzle goes on. After a wrong turn `punishment` is
    what follows by best play, and `exact` says whether that is proved; `said` says all in words.
    """

    right: bool
    solved: bool
    reply: str | None
    punishment: tuple[str, ...]
    exact: bool
    said: str


def judged(puzzle: Puzzle, turns: Sequence[str]) -> Verdict:
    """Judge all turns since the puzzle's position. Another way to the same position is as good."""
    played = Game(puzzle.start)
    for k, text in enumerate(turns):
        turn = played.turn(text)
        if k >= len(puzzle.line):
            raise DamierError("puzzle-over")
        if turn.words != played.turn(puzzle.line[k]).words:
            if k % 2:
                raise DamierError("puzzle-reply", text=text, reply=puzzle.line[k])
            return _wrong(puzzle, played, turn)
        played = played.play(turn)
    done = len(turns)
    if done == len(puzzle.line):
        said = say(f"puzzle.solved.{'end' if played.result() else 'plain'}")
        return Verdict(True, True, None, (), True, said)
    if done % 2:
        return Verdict(True, False, puzzle.line[done], (), True, say("puzzle.right"))
    return Verdict(True, False, None, (), True, puzzle.task)


def cells_of(puzzle: Puzzle, turns: Sequence[str]) -> list[str]:
    """Return the cells with which the next true turn begins."""
    verdict = judged(puzzle, turns)
    played = Game(puzzle.start).play(*turns)
    done = len(turns)
    if verdict.reply is not None:
        played, done = played.play(verdict.reply), done + 1
    if not verdict.right or verdict.solved:
        raise DamierError("puzzle-over")
    first = played.turn(puzzle.line[done]).described[0]
    return [cell for cell in (first.origin or first.target,) if cell]


def _wrong(puzzle: Puzzle, played: Game, turn: Turn) -> Verdict:
    """Return what a wrong turn runs into."""
    after = played.play(turn)
    if puzzle.kind == "most":
        taken, possible = taken_by(turn), taken_by(played.turn(puzzle.line[played.ply]))
        said = say("puzzle.wrong.most", taken=taken, possible=possible)
        return Verdict(False, False, None, (), True, said)
    result = after.result()
    if result is not None:
        outcome = "draw" if result.winner is None else "loss"
        said = say(f"puzzle.wrong.{outcome}")
        return Verdict(False, False, None, (), True, f"{said} {result.sentence()}")
    value, line = _punishment(after)
    if value is None:  # what is certain is what the puzzle itself is a proof of
        left = (puzzle.within or 0) - (played.ply // 2 if puzzle.kind == "win-in" else 0)
        said = f"{say(f'puzzle.not.{puzzle.kind}', count=left)} {say('puzzle.engine')}"
    else:
        same = after.position.side == played.position.side
        outcome = value.outcome if same else value.before().outcome
        said = say(f"puzzle.wrong.{outcome}")
    return Verdict(False, False, None, tuple(line), value is not None, said)


def taken_by(turn: Turn) -> int:
    """Return how many pawns a turn captures."""
    return sum(len(step.takes) for step in turn.described)


def _punishment(game: Game) -> tuple[Value | None, list[str]]:
    """Return what a game is worth, if that is known, and how it goes on by best play."""
    valued = probe_turns(game)
    if valued and len(valued) == len(game.turns()):
        line = line_of(game, *valued[0], most=LONGEST)
        return valued[0][1], [turn.text for turn in line]
    from damier.search import analyse  # which most tries do without

    best = analyse(game, nodes=NODES).turns[0]
    outcomes = {"win": Value("win"), "draw": Value("draw"), "loss": Value("loss")}
    return outcomes.get(best.outcome or ""), list(best.line[:LONGEST])
