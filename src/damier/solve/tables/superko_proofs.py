"""Proofs of wins in a game where no position may be repeated (superko).

A table ignores that ban. In a game the ban removes moves from both sides: a win by the table may be
lost, because its only line repeats an arrangement of pawns with other fields, and a draw may become
a loss, because the other ways are forbidden. Here a win is proved for one game: positions that were
on the board before, and those on the line, are forbidden, as in the rules.

The winner tries moves that the table calls won, and drawn moves that leave the opponent only lost
moves; then, in a small search, drawn moves that leave the opponent drawn moves too. A proved win is
true, and its distance is an upper bound; a position without a proof may still be won by a longer
line through drawn positions.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from damier.gameplay import Game, HistoryPolicy, Key
from damier.games import Words
from damier.games.constants import WHITE_WINS
from damier.position import Position
from damier.solve.tables.table import Table
from damier.solve.tables.values import Value
from damier.solve.value_codes import distance_of, win_of

# Node limits, by the number of drawn moves of the loser that a proof may contain. Proofs among won
# positions have some hundred nodes; where one is larger, no win is claimed. Among drawn positions a
# smaller search finds the cases in which a side has few moves left.
NODE_LIMITS = (20_000, 2_000)
# The limits for a position that a search without the table calls won.
CONFIRMATION_LIMITS = (20_000, 20_000, 20_000)
FAR = 1 << 20  # distance of an undecided position


@dataclass(frozen=True, slots=True)
class WinProof:
    """Proof of a win from a position: an upper bound of moves, and the longest line.

    It is valid on any path that contains none of the positions that it `visits` and all that it
    `needs`: those that the loser would return to if they were not forbidden.
    """

    moves: int
    after: Words | None = None
    rest: WinProof | None = None
    visits: frozenset[Key] = frozenset()
    needs: frozenset[Key] = frozenset()


class SuperkoProver:
    """Prover of wins in one game."""

    def __init__(self, game: Game, table: Table, limits: tuple[int, ...] | None = None) -> None:
        self._game, self._table = game, table
        self._limits = NODE_LIMITS if limits is None else limits
        self._module = game.rules.module
        self._legal = [0] * self._module.GROUPS
        self._policy = HistoryPolicy(self._module)
        self._forbidden = {self._policy.key(p.words) for p in game.positions} - {None}
        self._path: set[Key] = set()
        self._proofs: dict[tuple[Words, int], list[WinProof]] = {}
        self.nodes = 0
        self._max_nodes = 0

    def value_of(self, position: Position) -> Value:
        """Return the value for its mover of the game's position, or of one that a move reaches.

        Without a proof it is a bound, ranked above others if the table calls the position won, and
        below them if it calls it lost, because the opponent may still miss the defence.
        """
        side = position.rest & 1
        decided = self._decide(position)
        if decided is not None:
            winner, proof = decided
            return Value("win" if winner == side else "loss", proof.moves)
        value = self._table.probe(position)
        ranks = {"win": -1, "loss": 1}
        later = 0 if value is None else ranks.get(value.outcome, 0)
        return Value("draw", later=later, bound=True)

    def line_from(self, position: Position) -> list[Words]:
        """Return the positions of the proved line to the end; none without a proof."""
        line: list[Words] = []
        decided = self._decide(position)
        proof = None if decided is None else decided[1]
        while proof is not None and proof.after is not None:
            line.append(proof.after)
            proof = proof.rest
        return line

    def _decide(self, position: Position) -> tuple[int, WinProof] | None:
        """Return the proved winner from a position and the proof, or None.

        Earlier proofs are cleared: with them a limited search might find more, and the line would
        differ from the value.
        """
        self._proofs.clear()
        for drawn, nodes in enumerate(self._limits):
            for winner in (0, 1):
                self._max_nodes = self.nodes + nodes
                proof = self._proof(position.words, winner, drawn)
                if proof is not None:
                    return winner, proof
        return None

    def _proof(self, words: Words, winner: int, drawn: int) -> WinProof | None:
        """Return a proof of a win with at most `drawn` drawn moves of the loser, or None."""
        for proof in self._proofs.get((words, winner), ()):
            if proof.visits.isdisjoint(self._path) and proof.needs <= self._path:
                return proof
        judgement = self._module.legal(*words, self._legal)
        if judgement:
            return WinProof(0) if judgement & 3 == WHITE_WINS + winner else None
        self.nodes += 1
        if self.nodes > self._max_nodes:
            return None
        keys = self._keys(words) - self._path
        self._path |= keys
        prove = self._prove_won if words[2] & 1 == winner else self._prove_lost
        found = prove(words, winner, drawn)
        self._path -= keys
        if found is not None:
            self._proofs.setdefault((words, winner), []).append(found)
        return found

    def _prove_won(self, words: Words, winner: int, drawn: int) -> WinProof | None:
        """Return a proof for the side to move by one winning move, the quickest one found."""
        moves = [
            (distance, after)
            for distance, after, outcome in self._moves(words, winner)
            if outcome >= 0 and not self._forbids(words, after)
        ]
        best: WinProof | None = None
        for distance, after in sorted(moves):
            if best is not None and best.moves - 1 <= distance:
                break
            rest = self._proof(after, winner, drawn)
            if rest is not None and (best is None or rest.moves + 1 < best.moves):
                visits = rest.visits | self._keys(after)
                best = self._extend(words, after, rest, visits, rest.needs)
        return best

    def _prove_lost(self, words: Words, winner: int, drawn: int) -> WinProof | None:
        """Return a proof against the side to move, for every legal move."""
        moves: list[tuple[int, Words]] = []
        needs: set[Key] = set()
        for distance, after, outcome in self._moves(words, winner):
            if self._forbids(words, after):
                needs.update(self._keys(after) & self._path)
            elif outcome < (0 if drawn else 1):
                return None
            else:
                moves.append((distance, after))
        visits: set[Key] = set()
        longest = None
        for distance, after in sorted(moves, reverse=True):
            rest = self._proof(after, winner, drawn - (distance == FAR))
            if rest is None:
                return None
            visits |= rest.visits | self._keys(after)
            needs |= rest.needs
            if longest is None or rest.moves > longest[1].moves:
                longest = after, rest
        if longest is None:
            result = self._policy.shut_in(words)
            if result is None or result.winner != "wb"[winner]:
                return None
            return WinProof(0, needs=frozenset(needs - self._keys(words)))
        return self._extend(words, *longest, visits, needs)

    def _moves(self, words: Words, winner: int) -> list[tuple[int, Words, int]]:
        """Return distance, position and outcome (1 won, 0 unknown, -1 lost) after each move."""
        found = []
        for row in self._table.child_codes(Position(self._game.rules, *words)):
            w, b, r, code = row
            if code <= 0:
                found.append((FAR, (w, b, r), 0))
            else:
                outcome = 1 if win_of(code) == (1 if r & 1 == winner else 0) else -1
                found.append((distance_of(code), (w, b, r), outcome))
        return found

    def _keys(self, words: Words) -> frozenset[Key]:
        """Return the repetition key of a position as a set, empty if it does not count."""
        key = self._policy.key(words)
        return frozenset() if key is None else frozenset([key])

    def _forbids(self, words: Words, after: Words) -> bool:
        """Return whether superko forbids a move from a position to another."""
        key = self._policy.key(after)
        if key is None or not self._policy.superko(words[2]):
            return False
        return key in self._forbidden or key in self._path

    def _extend(
        self, words: Words, after: Words, rest: WinProof, visits: Set[Key], needs: Set[Key]
    ) -> WinProof:
        """Return the proof for a position from the proof for the position after a move."""
        here = self._keys(words)
        return WinProof(rest.moves + 1, after, rest, frozenset(visits), frozenset(needs - here))
