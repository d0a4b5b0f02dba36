"""What is certain about a position: by a table, or by a search of everything that can happen.

Both answer one question: in how many turns, both sides' counted, can a side force a win? A table
answers it for any number of turns, and what neither side wins is a draw. A search answers it up to
a number of turns, and its answers are then as exact: every turn of both sides is played. No rule of
repetition can make a difference in it, as a position needs eight turns to occur three times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal, Protocol

from damier import jit
from damier.errors import DamierError
from damier.games import Words
from damier.position import Position, Rules, game
from damier.solve import Table, find, no_table, walk
from damier.solve.codes import distance_of, win_of
from damier.solve.tables import proof

Progress = Callable[[str, float], None]
FOREVER = 1 << 20  # turns
MOST_TURNS = 7  # that a search looks ahead: see above
NODES = 400_000  # of one question to a search; what takes more is not asked again
ENDINGS = 2_000_000  # positions of endings whose table is computed: more would take long
FOUND = 1 << 18  # answers that a search remembers


class Unproved(Exception):
    """A search would take too long, or a table does not hold a position."""


class Truth(Protocol):
    """What answers the question."""

    proof: Literal["table", "search"]
    whole: bool  # whether it knows draws
    to_end: bool  # whether the turns are those to the end

    def distance(self, words: Words, side: int, most: int) -> int | None:
        """Return in how many turns a side forces a win from a position, None if in more."""
        ...


class ByTable:
    """Answers from a table, of a whole game or of its endings.

    Where that counts turns to a capture, so do the answers.
    """

    proof: Literal["table", "search"] = "table"
    whole = True

    def __init__(self, table: Table) -> None:
        self._table = table
        self.to_end = table.metric == "end"

    def holds(self, position: Position) -> bool:
        """Tell whether the table knows a position, and so all that comes after it."""
        return self._table.code(position) >= 0

    def distance(self, words: Words, side: int, most: int) -> int | None:
        """Return in how many turns a side forces a win from a position, None if in more."""
        code = self._table.code(Position(self._table.rules, *words))
        if code < 0:
            raise Unproved
        if code == 0 or (win_of(code) == 1) != (words[2] & 1 == side):
            return None
        distance = distance_of(code)
        return distance if distance <= most else None


class BySearch:
    """Answers by playing all that can be played, with rules alone."""

    proof: Literal["table", "search"] = "search"
    whole = False
    to_end = True

    def __init__(self, rules: Rules, nodes: int = NODES) -> None:
        self._nodes = nodes
        file = rules.folder.module
        link = jit.link if rules.compiled else jit.link_plain
        linked = link(file)
        self._loops: Any = link(
            proof, rules=linked, space=link(no_table), walk=link(walk, rules=linked)
        )
        self._empty = self._loops.buffer(1)
        self._found = [self._loops.buffer(proof.ENTRY * FOUND) for _ in range(2)]

    def distance(self, words: Words, side: int, most: int) -> int | None:
        """Return in how many turns a side forces a win from a position, None if in more."""
        if most > MOST_TURNS:
            raise Unproved
        for turns in range(most + 1):
            known = (self._empty, self._empty, self._found[side])
            answer, _ = self._loops.wins(*words, (side, False), turns, self._nodes, known)
            if answer == proof.UNKNOWN:
                raise Unproved
            if answer == proof.YES:
                return turns
        return None


class Truths:
    """What is known of a game: of each position by a table if there is one, else by a search.

    Tables that do not come with a game are computed: of a small game all of it, of a big one the
    endings. That takes up to some minutes.
    """

    def __init__(self, rules: Rules, progress: Progress | None = None) -> None:
        if rules.file.superko(rules.start().rest):
            # What was there before decides who wins: no table and no short search knows.
            raise DamierError("puzzle-ban", game=rules.name)
        rules.compile()
        self._rules, self._progress = rules, progress

    @cached_property
    def _table(self) -> ByTable | None:
        """What a table says; it is looked for, or computed, when it is first asked."""
        table = find(self._rules) or _solved(self._rules, self._progress)
        return None if table is None else ByTable(table)

    @cached_property
    def _search(self) -> BySearch:
        """What a search finds."""
        return BySearch(self._rules)

    def of(self, position: Position) -> Truth:
        """Return what answers questions about a position, and all that comes after it."""
        if self._table is not None and self._table.holds(position):
            return self._table
        return self._search

    def by(self, proof: str) -> Truth:
        """Return what proves by a table, or by a search."""
        if proof == "table" and self._table is not None:
            return self._table
        return self._search


def _solved(rules: Rules, progress: Progress | None) -> Table | None:
    """Return a table of a game or of its endings, or None where that would be too big."""
    from damier.solve import retrograde

    try:
        solution = retrograde.solve(rules, _pawns(rules), progress=progress)
    except DamierError:
        return None
    return Table(rules, solution.header, solution.arrays)


def _pawns(rules: Rules) -> int | None:
    """Return with how many pawns endings are solved; None where the whole game is."""
    from damier.solve.retrograde import analysis_of

    analysis = analysis_of(rules)
    pawns = analysis.endings(rules, None)
    while pawns is not None and pawns > 2:
        size = analysis.size(rules, pawns)
        if size is None or size[0] <= ENDINGS:
            break
        pawns -= 1
    return pawns


def without_ban(rules: Rules) -> Rules:
    """Return rules under which positions may come back: these, or with one option changed."""
    if not rules.file.superko(rules.start().rest):
        return rules
    for option in rules.file.OPTIONS:
        for value in option.values:
            other = game(rules.name, **{**rules.options, option.name: value})
            if not other.file.superko(other.start().rest):
                return other
    return rules


def ends_of(position: Position) -> Iterator[tuple[tuple[int, ...], Words]]:
    """Yield for each position that one turn reaches the steps of a turn to it, and the position."""
    seen: set[Words] = set()
    for count, (steps, words) in enumerate(position.ends()):
        if count > proof.KIDS:
            raise DamierError("too-many-turns", most=proof.KIDS)
        if words not in seen:
            seen.add(words)
            yield steps, words
