"""A game as it is played: turns from a starting position, and what earlier positions mean.

Which positions count, what the third occurrence of one is, and whether one may be brought back at
all, is a game's policy: four kernels of its rules. `Policy` asks them, for games and proofs; the
search asks the same kernels.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from threading import Lock

from damier.errors import DamierError
from damier.games import RulesFile, Words
from damier.position import Position, Result, Rules, Step, Turn
from damier.refusal import Reason, why_not

Key = tuple[int, int, int]
THIRD = 3  # occurrences end a game


class Policy:
    """What earlier positions of a game end or forbid."""

    __slots__ = ("_file",)

    def __init__(self, file: RulesFile) -> None:
        self._file = file

    def key(self, words: Words) -> Key | None:
        """Return what is compared: pawns and side to move; None for a position that counts not."""
        w, b, r = words
        return (w, b, r & 1) if self._file.repeatable(w, b, r) else None

    def superko(self, r: int) -> bool:
        """Tell whether a turn must not bring back a position of the game."""
        return self._file.superko(r)

    def verdict(self, words: Words, times: int) -> Result | None:
        """Return how a game ends by a position's having occurred so many times, or None."""
        if times < THIRD or self._file.superko(words[2]):
            return None
        return Result.of(self._file, self._file.repeated(*words))

    def shut_in(self, words: Words) -> Result | None:
        """Return how a game ends in which every turn is barred."""
        return Result.of(self._file, self._file.shut_in(*words))


class _Line:
    """One line of play, shared by all games along it."""

    def __init__(self, positions: list[Position], turns: list[Turn]) -> None:
        self.positions = positions
        self.turns = turns
        self.lock = Lock()  # games are shared between threads
        self.policy = Policy(positions[0].rules.file)
        # Where each position occurred: pawns and side to move, fields not compared.
        self.seen: dict[Key, list[int]] = {}
        for ply, position in enumerate(positions):
            self.note(ply, position)

    def extend(self, turn: Turn) -> None:
        """Add a turn at the end."""
        after = turn.after
        self.note(len(self.positions), after)
        self.positions.append(after)
        self.turns.append(turn)

    def note(self, ply: int, position: Position) -> None:
        """Note that a position has occurred."""
        key = self.policy.key(position.words)
        if key is not None:
            self.seen.setdefault(key, []).append(ply)


class Game:
    """A game: immutable, so that taking back and branching are looking at another game."""

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
        return f"<{self.rules.name}, ply {self.ply}: {self.position}>"

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
        return self.times(self.position.words if position is None else position.words)

    def times(self, words: Words) -> int:
        """Return how often a position, as the rules know it, has occurred."""
        key = self._line.policy.key(words)
        return 0 if key is None else bisect_right(self._line.seen.get(key, []), self.ply)

    @property
    def superko(self) -> bool:
        """Whether a turn must not bring back a position of this game."""
        return self._line.policy.superko(self.position.rest)

    def bars(self, words: Words) -> bool:
        """Tell whether a turn may not lead to a position, because it has been there before."""
        return self.superko and self.times(words) > 0

    def result(self) -> Result | None:
        """Return how the game has ended, or None."""
        return self._result

    @property
    def over(self) -> bool:
        """Whether nobody can go on: the game has ended, or began where no game gets."""
        return self.result() is not None or self.position.over

    def turns(self, most: int | None = None) -> list[Turn]:
        """Return the legal turns, sorted by text.

        With `most` a position that has more of them is refused, as by `Position.turns`.
        """
        if self._result:
            return []
        if most is not None and "_turns" not in self.__dict__:
            self.__dict__["_turns"] = self._allowed(self.position.turns(most))
        if most is not None and len(self._turns) > most:
            raise DamierError("too-many-turns", most=most)
        return self._turns

    @cached_property
    def _result(self) -> Result | None:
        """How the game has ended, history included; where it can be, without listing turns."""
        words, policy = self.position.words, self._line.policy
        result = self.position.result() or policy.verdict(words, self.times(words))
        if result is None and self.superko and not self.position.over:
            ends = (after for _, after in self.position.ends())
            if all(self.bars(after) for after in ends):
                result = policy.shut_in(words)
        return result

    @cached_property
    def _turns(self) -> list[Turn]:
        """The legal turns of the position, less those that may not bring back another."""
        return self._allowed(self.position.turns())

    def _allowed(self, turns: list[Turn]) -> list[Turn]:
        """Return those turns of the position that do not bring back what they may not."""
        return [turn for turn in turns if not self.bars(turn.words)] if self.superko else turns

    def steps(self, begun: Sequence[int] = ()) -> list[Step]:
        """Return the legal steps after those of an unfinished turn, history included."""
        position = self.position
        for number in begun:
            position = position.step(number)
        if self.result():
            return []
        steps = position.steps()
        if self.superko:
            n = len(begun)
            allowed = {t.steps[n] for t in self.turns() if t.steps[:n] == tuple(begun)}
            steps = [step for step in steps if step.number in allowed]
        return steps

    def turn(self, text: str) -> Turn:
        """Return the legal turn that a text writes, or raise DamierError saying why not."""
        if self.over:
            raise DamierError("over")
        turn = self.position.turn(text)
        if self.bars(turn.words):
            raise DamierError("brings-back", text=text)
        return turn

    def turns_to(self, after: Position) -> list[Turn]:
        """Return the legal turns that reach a position, sorted by text."""
        return [turn for turn in self.turns() if turn.words == after.words]

    def why_not(
        self, target: str, origin: str | None = None, begun: Sequence[int] = ()
    ) -> Reason | None:
        """Return why a player who chooses a cell, perhaps after another, cannot; None if he can.

        `begun` are the steps of the turn under way.
        """
        if self.over:
            raise DamierError("over")
        position = self.position
        for number in begun:
            position = position.step(number)

        def leads(step: Step) -> bool:
            if step.origin is None:
                return step.target == target and origin in (None, target)
            if origin is None:
                return step.origin == target
            return (step.origin, step.target) == (origin, target)

        if any(leads(step) for step in self.steps(begun)):
            return None
        if any(leads(step) for step in position.steps()):  # legal but for what was there before
            return Reason(self.rules.name, "brings-back")
        return why_not(self.rules.file, position.words, origin, target)

    def play(self, *turns: str | Turn) -> Game:
        """Return the game after some more turns, or raise DamierError saying why not."""
        game = self
        for turn in turns:
            game = game._extended(game.turn(str(turn)))
        return game

    def _extended(self, turn: Turn) -> Game:
        line = self._line
        with line.lock:
            if len(line.turns) == self.ply:
                line.extend(turn)
                return Game._at(line, self.ply + 1)
        if line.turns[self.ply].text != turn.text:
            line = _Line(line.positions[: self.ply + 1], line.turns[: self.ply])
            line.extend(turn)
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
