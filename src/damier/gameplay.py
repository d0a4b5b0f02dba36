"""Games in progress: moves from a starting position, with the rules on repetition.

A game's history policy is four kernels of its rules: which positions count as repeated, the result
of the third occurrence, whether repetition is forbidden (superko), and the result if every move is
forbidden by it. `HistoryPolicy` calls them for games and proofs; the search calls the same kernels.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from threading import Lock

from damier.deprecation import deprecated_names
from damier.errors import DamierError
from damier.games import RulesModule, Words
from damier.illegal_moves import IllegalMoveReason, why_not
from damier.position import Move, Position, Result, Rules, Step

Key = tuple[int, int, int]
MAX_OCCURRENCES = 3  # the third occurrence of a position ends a game


class HistoryPolicy:
    """Results and prohibitions that follow from earlier positions of a game."""

    __slots__ = ("_bits", "_module")

    def __init__(self, module: RulesModule) -> None:
        self._module = module
        self._bits = 1 | module.REPETITION_BITS

    def key(self, words: Words) -> Key | None:
        """Return what makes positions equal; None for a position that is not counted."""
        w, b, r = words
        return (w, b, r & self._bits) if self._module.repeatable(w, b, r) else None

    def superko(self, r: int) -> bool:
        """Tell whether a move must not repeat a position of the game."""
        return self._module.superko(r)

    def verdict(self, words: Words, times: int) -> Result | None:
        """Return the result of a position that occurs for the n-th time, or None."""
        if times < MAX_OCCURRENCES or self._module.superko(words[2]):
            return None
        return Result.of(self._module, self._module.repeated(*words))

    def shut_in(self, words: Words) -> Result | None:
        """Return the result of a position in which every move would repeat a position."""
        return Result.of(self._module, self._module.shut_in(*words))


class _SharedHistory:
    """Positions and moves of one sequence of play, shared by all `Game` objects along it."""

    def __init__(self, positions: list[Position], moves: list[Move]) -> None:
        self.positions = positions
        self.moves = moves
        self.lock = Lock()  # threads share games
        self.policy = HistoryPolicy(positions[0].rules.module)
        # Plies at which each position occurred.
        self.occurrences: dict[Key, list[int]] = {}
        for ply, position in enumerate(positions):
            self.record(ply, position)

    def extend(self, move: Move) -> None:
        """Add a move at the end."""
        after = move.after
        self.record(len(self.positions), after)
        self.positions.append(after)
        self.moves.append(move)

    def record(self, ply: int, position: Position) -> None:
        """Record that a position occurred at a ply."""
        key = self.policy.key(position.words)
        if key is not None:
            self.occurrences.setdefault(key, []).append(ply)


@deprecated_names(
    bars="forbids",
    turns="legal_moves",
    turn="parse_move",
    turns_to="moves_to",
    turns_played="moves_played",
)
class Game:
    """Immutable game in progress; playing or taking back a move returns another `Game`."""

    __slots__ = ("__dict__", "_history", "_ply")

    def __init__(self, start: Position | Rules) -> None:
        position = start if isinstance(start, Position) else start.start()
        if position.unfinished:
            raise DamierError("game-unfinished")
        self._history = _SharedHistory([position], [])
        self._ply = 0

    @classmethod
    def _at(cls, history: _SharedHistory, ply: int) -> Game:
        game = cls.__new__(cls)
        game._history, game._ply = history, ply
        return game

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickle_game, (self.start, tuple(move.text for move in self.moves_played))

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
        """Number of moves played."""
        return self._ply

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self.start.rules

    @property
    def start(self) -> Position:
        """The position before the first move."""
        return self._history.positions[0]

    @property
    def position(self) -> Position:
        """The position reached."""
        return self._history.positions[self.ply]

    @property
    def positions(self) -> Sequence[Position]:
        """All positions, from the start to the one reached."""
        return tuple(self._history.positions[: self.ply + 1])

    @property
    def moves_played(self) -> Sequence[Move]:
        """The moves played."""
        return tuple(self._history.moves[: self.ply])

    @property
    def text(self) -> str:
        """The moves played, as text."""
        return " ".join(move.text for move in self._history.moves[: self.ply])

    def occurrences(self, position: Position | None = None) -> int:
        """Return how often a position has occurred; by default the current one."""
        return self.times(self.position.words if position is None else position.words)

    def times(self, words: Words) -> int:
        """Return how often a position, given as its three words, has occurred."""
        key = self._history.policy.key(words)
        return 0 if key is None else bisect_right(self._history.occurrences.get(key, []), self.ply)

    @property
    def superko(self) -> bool:
        """Whether a move must not repeat a position of this game."""
        return self._history.policy.superko(self.position.rest)

    def forbids(self, words: Words) -> bool:
        """Tell whether superko forbids a move to a position, given as its three words."""
        return self.superko and self.times(words) > 0

    def result(self) -> Result | None:
        """Return the result, or None while the game is in progress."""
        return self._result

    @property
    def over(self) -> bool:
        """Whether no move can be played: there is a result, or the position is unreachable."""
        return self.result() is not None or self.position.over

    def legal_moves(self, limit: int | None = None) -> list[Move]:
        """Return the legal moves, sorted by text.

        Raise DamierError if there are more than `limit`, like `Position.legal_moves`.
        """
        if self._result:
            return []
        if limit is not None and "_moves" not in self.__dict__:
            self.__dict__["_moves"] = self._without_superko(self.position.legal_moves(limit))
        if limit is not None and len(self._moves) > limit:
            raise DamierError("too-many-turns", most=limit)
        return self._moves

    @cached_property
    def _result(self) -> Result | None:
        """Result, including repetition; computed without listing moves where possible."""
        words, policy = self.position.words, self._history.policy
        result = self.position.result() or policy.verdict(words, self.times(words))
        if result is None and self.superko and not self.position.over:
            ends = (after for _, after in self.position.ends())
            if all(self.forbids(after) for after in ends):
                result = policy.shut_in(words)
        return result

    @cached_property
    def _moves(self) -> list[Move]:
        """Legal moves of the position without those that superko forbids."""
        return self._without_superko(self.position.legal_moves())

    def _without_superko(self, moves: list[Move]) -> list[Move]:
        """Return the moves that superko does not forbid."""
        return [move for move in moves if not self.forbids(move.words)] if self.superko else moves

    def steps(self, begun: Sequence[int] = ()) -> list[Step]:
        """Return the legal steps after the steps `begun` of an unfinished move."""
        position = self.position
        for number in begun:
            position = position.step(number)
        if self.result():
            return []
        steps = position.steps()
        if self.superko:
            n = len(begun)
            allowed = {t.steps[n] for t in self.legal_moves() if t.steps[:n] == tuple(begun)}
            steps = [step for step in steps if step.number in allowed]
        return steps

    def parse_move(self, text: str) -> Move:
        """Return the legal move with a text; raise DamierError with the reason if there is none."""
        if self.over:
            raise DamierError("over")
        move = self.position.parse_move(text)
        if self.forbids(move.words):
            raise DamierError("brings-back", text=text)
        return move

    def moves_to(self, after: Position) -> list[Move]:
        """Return the legal moves that reach a position, sorted by text."""
        return [move for move in self.legal_moves() if move.words == after.words]

    def why_not(
        self, target: str, origin: str | None = None, begun: Sequence[int] = ()
    ) -> IllegalMoveReason | None:
        """Return why a player cannot choose `target`, after `origin` if given; None if they can.

        `begun` are the steps of the move in progress.
        """
        if self.over:
            raise DamierError("over")
        position = self.position
        for number in begun:
            position = position.step(number)

        def matches(step: Step) -> bool:
            if step.origin is None:
                return step.target == target and origin in (None, target)
            if origin is None:
                return step.origin == target
            return (step.origin, step.target) == (origin, target)

        if any(matches(step) for step in self.steps(begun)):
            return None
        if any(matches(step) for step in position.steps()):  # forbidden by superko only
            return IllegalMoveReason(self.rules.name, "brings-back")
        return why_not(self.rules.module, position.words, origin, target)

    def play(self, *moves: str | Move) -> Game:
        """Return the game after further moves; raise DamierError if one is not legal."""
        game = self
        for move in moves:
            game = game._extend(game.parse_move(str(move)))
        return game

    def _extend(self, move: Move) -> Game:
        history = self._history
        with history.lock:
            if len(history.moves) == self.ply:
                history.extend(move)
                return Game._at(history, self.ply + 1)
        if history.moves[self.ply].text != move.text:
            history = _SharedHistory(history.positions[: self.ply + 1], history.moves[: self.ply])
            history.extend(move)
        return Game._at(history, self.ply + 1)

    def back(self, moves: int = 1) -> Game:
        """Return the game some moves earlier, at most at its start."""
        if moves < 0:
            raise DamierError("ply", ply=self.ply - moves, most=self.ply)
        return Game._at(self._history, max(0, self.ply - moves))

    def at(self, ply: int) -> Game:
        """Return the game after its first `ply` moves."""
        if not 0 <= ply <= self.ply:
            raise DamierError("ply", ply=ply, most=self.ply)
        return Game._at(self._history, ply)


def _unpickle_game(start: Position, moves: Iterable[str]) -> Game:
    return Game(start).play(*moves)
