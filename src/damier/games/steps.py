"""Structured descriptions of steps, from which notation, prompts, arrows and errors derive.

An `Action` has cells as numbers; `damier.Step` is the same with the names of the cells.
"""

from typing import Literal, NamedTuple

from damier.games.board import map_cells

Kind = Literal["place", "move", "swap", "put", "drop", "take", "remove", "stop", "pass"]
NOWHERE = -1


class Action(NamedTuple):
    """Effect of a step.

    - `place`: an own pawn from the hand to `target`;
    - `move`: an own pawn from `origin` to `target`;
    - `swap`: an own pawn on `origin` changes places with an enemy pawn on `target`;
    - `put`: an enemy pawn from `origin` to `target`, as part of the move;
    - `drop`: an own pawn that was lifted from the board, to `target`;
    - `take`: an enemy pawn on `target` is captured, as a step of its own (and in `takes`);
    - `remove`: an own pawn on `origin` leaves the board for good;
    - `stop`: ends a move that could continue; `pass`: a move without displacement.

    `takes` are the cells of the pawns that it captures, as bits. `puts` are other pawns that it
    sends elsewhere, from cell to cell, or to `NOWHERE` if lifted. `by` names the way to capture
    where there is more than one, as one capital letter that stands in the move's text. `flips` are
    the cells of enemy pawns that change sides, as bits.
    """

    kind: Kind
    origin: int = NOWHERE
    target: int = NOWHERE
    takes: int = 0
    puts: tuple[tuple[int, int], ...] = ()
    by: str = ""
    flips: int = 0

    def transformed(self, to: tuple[int, ...]) -> "Action":
        """Return the action under a symmetry of the board."""

        def cell(i: int) -> int:
            return i if i == NOWHERE else to[i]

        return self._replace(
            origin=cell(self.origin),
            target=cell(self.target),
            takes=map_cells(self.takes, to),
            puts=tuple((cell(a), cell(b)) for a, b in self.puts),
            flips=map_cells(self.flips, to),
        )


STOP, PASS = Action("stop"), Action("pass")


class Note(NamedTuple):
    """Text of a game: its key and the details that it names.

    Details whose name ends in `cell` are cell numbers, in `cells` sets of cells as bits; they are
    replaced by names when the text is formatted.
    """

    key: str
    details: dict[str, object] = {}  # noqa: RUF012  never modified
