"""A game as it is played: turns from a starting position, with the rules that look at history."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

from damier.errors import DamierError
from damier.rules import Position, Result, Rules, Step, Turn

Key = tuple[int, int, int]


class _Line:
    """One line of play, shared by all games along it."""

    def __init__(self, positions: list[Position], turns: list[Turn]) -> None:
        self.positions = positions
        self.turns = turns
        # Where each position occurred: pawns and side to move, fields not compared.
        self.seen: dict[Key, list[int]] = {}
        for ply, position in enumerate(positions):
            self.note(ply, position)

    def note(self, ply: int, position: Position) -> None:
        """Note that a position has occurred."""
        if position.rules.file.repeatable(*position.words):
            self.seen.setdefault(_key(position), []).append(ply)


def _key(position: Position) -> Key:
    return position.white, position.black, position.rest & 1


class Game:
    """A game: immutable, so that taking back and branching are looking at another game.

    >>> import damier
    >>> game = damier.Game(damier.game("chefa").start()).play("b2").play("d4")
    >>> game.back().play("c4").text
    'b2 c4'
    """

    __slots__ = ("__dict__", "_line", "_ply")

    def __init__(self, start: Position | Rules) -> None:
        position = start if isinstance(start, Position) else start.start()
        if position.unfinished:
            raise DamierError("game-unfinished")
        self._line = _Line([position], [])
        self._ply = 0

    @classmethod
    def _at(cls, line: _Line, ply: int) -> Game:
        game = cls.__new__(cls)
        game._line, game._ply = line, ply
        return game

    def __reduce__(self) -> tuple[object, ...]:
        return _replayed, (self.start, tuple(turn.text for turn in self.turns_played))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.start == other.start and self.text == other.text

    def __hash__(self) -> int:
        return hash((self.start, self.text))

    def __repr__(self) -> str:
        return f"<{self.rules.name}, {self.ply} turns: {self.position}>"

    @property
    def ply(self) -> int:
        """How many turns have been played."""
        return self._ply

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self.start.rules

    @property
    def start(self) -> Position:
        """The position before the first turn."""
        return self._line.positions[0]

    @property
    def position(self) -> Position:
        """The position reached."""
        return self._line.positions[self.ply]

    @property
    def positions(self) -> Sequence[Position]:
        """All positions, from the start to the one reached."""
        return tuple(self._line.positions[: self.ply + 1])

    @property
    def turns_played(self) -> Sequence[Turn]:
        """The turns played."""
        return tuple(self._line.turns[: self.ply])

    @property
    def text(self) -> str:
        """The turns played, as text."""
        return " ".join(turn.text for turn in self._line.turns[: self.ply])

    def occurrences(self, position: Position | None = None) -> int:
        """Return how often a position, if none is given the one reached, has occurred."""
        plies = self._line.seen.get(_key(self.position if position is None else position), [])
        return bisect_right(plies, self.ply)

    def result(self) -> Result | None:
        """Return how the game has ended, or None."""
        return self._result

    @property
    def over(self) -> bool:
        """Whether nobody can go on: the game has ended, or began where no game gets."""
        return self.result() is not None or self.position.over

    def turns(self) -> list[Turn]:
        """Return the legal turns, sorted by text."""
        return [] if self._result else self._turns

    @cached_property
    def _result(self) -> Result | None:
        """How the game has ended, history included; where it can be, without listing turns."""
        position, file = self.position, self.rules.file
        result = position.result()
        if result:
            return result
        if file.returning(position.rest):
            if self.occurrences() >= 3:
                return Result.of(file.repeated(*position.words))
        elif not self._turns:  # BA-12
            return Result("b" if position.side == "w" else "w", "blocked")
        return None

    @cached_property
    def _turns(self) -> list[Turn]:
        """The legal turns of the position, less those that may not bring back another."""
        turns = self.position.turns()
        if not self.rules.file.returning(self.position.rest):
            turns = [turn for turn in turns if not self._brings_back(turn)]
        return turns

    def _brings_back(self, turn: Turn) -> bool:
        """BA-11: tell whether a turn brings back a position of this game."""
        after = turn.after
        return self.rules.file.repeatable(*after.words) and self.occurrences(after) > 0

    def steps(self, begun: Sequence[int] = ()) -> list[Step]:
        """Return the legal steps after those of an unfinished turn, history included."""
        position = self.position
        for number in begun:
            position = position.step(number)
        if self.result():
            return []
        steps = position.steps()
        if not self.rules.file.returning(position.rest):
            n = len(begun)
            allowed = {t.steps[n] for t in self.turns() if t.steps[:n] == tuple(begun)}
            steps = [step for step in steps if step.number in allowed]
        return steps

    def turn(self, text: str) -> Turn:
        """Return the legal turn that a text writes, or raise DamierError saying why not."""
        if self.over:
            raise DamierError("over")
        turn = self.position.turn(text)
        if not self.rules.file.returning(self.position.rest) and self._brings_back(turn):
            raise DamierError("brings-back", text=text)
        return turn

    def play(self, *turns: str | Turn) -> Game:
        """Return the game after some more turns, or raise DamierError saying why not."""
        game = self
        for turn in turns:
            game = game._extended(game.turn(str(turn)))
        return game

    def _extended(self, turn: Turn) -> Game:
        line = self._line
        if len(line.turns) > self.ply:
            if line.turns[self.ply].text == turn.text:
                return Game._at(line, self.ply + 1)
            line = _Line(line.positions[: self.ply + 1], line.turns[: self.ply])
        line.positions.append(turn.after)
        line.turns.append(turn)
        line.note(self.ply + 1, turn.after)
        return Game._at(line, self.ply + 1)

    def back(self, turns: int = 1) -> Game:
        """Return the game some turns ago, at most at its start."""
        if turns < 0:
            raise DamierError("ply", ply=self.ply - turns, most=self.ply)
        return Game._at(self._line, max(0, self.ply - turns))

    def at(self, ply: int) -> Game:
        """Return the game after its first `ply` turns."""
        if not 0 <= ply <= self.ply:
            raise DamierError("ply", ply=ply, most=self.ply)
        return Game._at(self._line, ply)


def _replayed(start: Position, turns: Iterable[str]) -> Game:
    return Game(start).play(*turns)
