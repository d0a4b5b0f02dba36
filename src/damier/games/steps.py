"""What a step does, as structure: its text, prompts, arrows and refusals are made from this.

An `Action` has cells as numbers, as the rules count them; `damier.Step` says the same with the
names of the cells, for whoever reads it.
"""

from typing import Literal, NamedTuple

from damier.games.board import moved

Kind = Literal["place", "move", "swap", "put", "drop", "stop", "pass"]
NOWHERE = -1


class Action(NamedTuple):
    """One atomic choice inside a turn.

    - `place`: an own pawn from the hand to `target`;
    - `move`: an own pawn from `origin` to `target`;
    - `swap`: an own pawn on `origin` changes places with an enemy pawn on `target`;
    - `put`: an enemy pawn from `origin`, as part of the mover's turn, to `target`;
    - `drop`: an own pawn that was lifted from the board, to `target`;
    - `stop`: a turn that might go on ends; `pass`: a turn in which nothing moves.

    `takes` are the cells of the pawns that it captures, as bits. `puts` are other pawns that it
    sends elsewhere, from cell to cell, or to `NOWHERE` if lifted. `by` names the way to capture
    where there is more than one, as one capital letter that stands in the turn's text.
    """

    kind: Kind
    origin: int = NOWHERE
    target: int = NOWHERE
    takes: int = 0
    puts: tuple[tuple[int, int], ...] = ()
    by: str = ""

    def turned(self, to: tuple[int, ...]) -> "Action":
        """Return the same under a symmetry of the board."""

        def cell(i: int) -> int:
            return i if i == NOWHERE else to[i]

        return self._replace(
            origin=cell(self.origin),
            target=cell(self.target),
            takes=moved(self.takes, to),
            puts=tuple((cell(a), cell(b)) for a, b in self.puts),
        )


STOP, PASS = Action("stop"), Action("pass")


class Note(NamedTuple):
    """A sentence of a game: the key of its text, and what it names. Cells are numbers, or bits.

    Details whose name ends in `cell` are numbers of cells, those in `cells` are bits; whoever says
    the sentence writes their names.
    """

    key: str
    details: dict[str, object] = {}  # noqa: RUF012  never changed
