"""Wins that hold in a game where no position may be brought back (superko).

A table leaves that ban aside. In a game it takes turns from both sides: a win by the table may be
none, because its only way brings back pawns with other fields, and a draw may be lost, because the
ways round are closed. Here a win is proved for one game: what was on the board before and what is
on the way there are barred, as the rules have it.

The winner is tried on turns that the table calls won, and on drawn ones that leave the other side
nothing but lost turns; then, as far as a small search goes, on those that leave it drawn turns too.
So what is proved is true, and its distance is one that the winner can hold to; what is not proved
may still be won by a longer way through drawn positions.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from damier.games import Words
from damier.games.terms import WHITE_WINS
from damier.history import Game, Key, Policy
from damier.position import Position
from damier.solve.codes import distance_of, win_of
from damier.solve.tables.table import Table
from damier.solve.tables.values import Value

# Through how many drawn turns of the loser a win is looked for, and how many positions at most
# for each. Proofs among won positions are small, hundreds of positions, and where one is not,
# nothing is claimed; among drawn ones a short look finds who has hardly a turn left.
LOOKS = (20_000, 60)
FAR = 1 << 20


@dataclass(frozen=True, slots=True)
class Proof:
    """A way to win from a position: in how many turns at most, and the line that takes longest.

    It holds on any path that has none of the positions it `brings` and all that it `needs`: those
    to which the loser would go back if he could.
    """

    turns: int
    after: Words | None = None
    rest: Proof | None = None
    brings: frozenset[Key] = frozenset()
    needs: frozenset[Key] = frozenset()


class Forced:
    """Proves wins in one game."""

    def __init__(self, game: Game, table: Table) -> None:
        self._game, self._table = game, table
        self._file = game.rules.file
        self._legal = [0] * self._file.GROUPS
        self._policy = Policy(self._file)
        self._barred = {self._policy.key(p.words) for p in game.positions} - {None}
        self._path: set[Key] = set()
        self._proofs: dict[tuple[Words, int], list[Proof]] = {}
        self.looks = 0
        self._most = 0

    def value_of(self, position: Position) -> Value:
        """Return what a position is worth to its mover: the game's, or one that a turn reaches.

        Where no win is proved it is a draw: better than others if the table calls it won, and
        worse if lost, as there the other side has to find the way that the ban has left.
        """
        side = position.rest & 1
        found = self._decided(position)
        if found is not None:
            winner, proof = found
            return Value("win" if winner == side else "loss", proof.turns)
        value = self._table.probe(position)
        hopes = {"win": -1, "loss": 1}
        return Value("draw", later=0 if value is None else hopes.get(value.outcome, 0))

    def line_from(self, position: Position) -> list[Words]:
        """Return the positions from there to the end, where one side is proved to win."""
        line: list[Words] = []
        found = self._decided(position)
        proof = None if found is None else found[1]
        while proof is not None and proof.after is not None:
            line.append(proof.after)
            proof = proof.rest
        return line

    def _decided(self, position: Position) -> tuple[int, Proof] | None:
        """Return who is proved to win from a position, and the proof.

        What was proved for another position is forgotten: with its help a short look might find
        more, and a line would not end as the value says.
        """
        self._proofs.clear()
        for drawn, looks in enumerate(LOOKS):
            for winner in (0, 1):
                self._most = self.looks + looks
                proof = self._proof(position.words, winner, drawn)
                if proof is not None:
                    return winner, proof
        return None

    def _proof(self, words: Words, winner: int, drawn: int) -> Proof | None:
        """Return a proof that a side wins, through so many drawn turns of the other's, or None."""
        for proof in self._proofs.get((words, winner), ()):
            if proof.brings.isdisjoint(self._path) and proof.needs <= self._path:
                return proof
        judgement = self._file.legal(*words, self._legal)
        if judgement:
            return Proof(0) if judgement & 3 == WHITE_WINS + winner else None
        self.looks += 1
        if self.looks > self._most:
            return None
        noted = self._noted(words) - self._path
        self._path |= noted
        look = self._won if words[2] & 1 == winner else self._lost
        found = look(words, winner, drawn)
        self._path -= noted
        if found is not None:
            self._proofs.setdefault((words, winner), []).append(found)
        return found

    def _won(self, words: Words, winner: int, drawn: int) -> Proof | None:
        """Return a proof for the side to move: one turn that wins, as quick a one as is found."""
        turns = [
            (distance, after)
            for distance, after, outcome in self._turns(words, winner)
            if outcome >= 0 and not self._bars(words, after)
        ]
        best: Proof | None = None
        for distance, after in sorted(turns):
            if best is not None and best.turns - 1 <= distance:
                break
            rest = self._proof(after, winner, drawn)
            if rest is not None and (best is None or rest.turns + 1 < best.turns):
                brings = rest.brings | self._noted(after)
                best = self._joined(words, after, rest, brings, rest.needs)
        return best

    def _lost(self, words: Words, winner: int, drawn: int) -> Proof | None:
        """Return a proof against the side to move: of every turn that it may play."""
        turns: list[tuple[int, Words]] = []
        needs: set[Key] = set()
        for distance, after, outcome in self._turns(words, winner):
            if self._bars(words, after):
                needs.update(self._noted(after) & self._path)
            elif outcome < (0 if drawn else 1):
                return None
            else:
                turns.append((distance, after))
        brings: set[Key] = set()
        longest = None
        for distance, after in sorted(turns, reverse=True):
            rest = self._proof(after, winner, drawn - (distance == FAR))
            if rest is None:
                return None
            brings |= rest.brings | self._noted(after)
            needs |= rest.needs
            if longest is None or rest.turns > longest[1].turns:
                longest = after, rest
        if longest is None:
            result = self._policy.shut_in(words)
            if result is None or result.winner != "wb"[winner]:
                return None
            return Proof(0, needs=frozenset(needs - self._noted(words)))
        return self._joined(words, *longest, brings, needs)

    def _turns(self, words: Words, winner: int) -> list[tuple[int, Words, int]]:
        """Return how far from the end each turn leads, where, and if that is won (1) or lost."""
        found = []
        for row in self._table.child_codes(Position(self._game.rules, *words)):
            w, b, r, code = row
            if code <= 0:
                found.append((FAR, (w, b, r), 0))
            else:
                outcome = 1 if win_of(code) == (1 if r & 1 == winner else 0) else -1
                found.append((distance_of(code), (w, b, r), outcome))
        return found

    def _noted(self, words: Words) -> frozenset[Key]:
        """Return a position as the ban knows it: nothing if it does not count."""
        key = self._policy.key(words)
        return frozenset() if key is None else frozenset([key])

    def _bars(self, words: Words, after: Words) -> bool:
        """Tell whether a turn may not lead from a position to another."""
        key = self._policy.key(after)
        if key is None or not self._policy.superko(words[2]):
            return False
        return key in self._barred or key in self._path

    def _joined(
        self, words: Words, after: Words, rest: Proof, brings: Set[Key], needs: Set[Key]
    ) -> Proof:
        """Return the proof for a position by a proof for one that a turn leads to."""
        here = self._noted(words)
        return Proof(rest.turns + 1, after, rest, frozenset(brings), frozenset(needs - here))
