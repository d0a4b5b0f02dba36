"""Contract of a game: the rules are required, everything else is optional.

A game is a folder. `rules.py` is the one file it must have, and `RulesModule` describes it;
a game of one file has nothing else. Names that the rules leave out are taken from
`damier.games.defaults`; constants `BOARD` and `PAWNS` replace the functions `board` and `pawns`.
The other files of a folder, and their defaults:

- `evaluation.py`: functions for the search (`Evaluation`); without it, pawns and mobility;
- `weights.json`: weights of the evaluation's features;
- `levels.py`: settings of levels 1 to 8, as a constant `LEVELS` or a function `levels(options)`;
  without it, `damier.games.levels.DEFAULT_LEVELS`;
- `strengths.json`: rating of each level; without it, `damier.games.levels.DEFAULT_STRENGTHS`;
- `planes.py`: observation planes for learning programs (`ObservationPlanes`); without it,
  `damier.games.planes`;
- `repetition.py`: which steps cannot repeat a position (`Repetition`), for histories of many games;
  without it, `damier.games.repetition`;
- `motifs.py`: motifs in explanations of moves (`Motifs`); without it, those that all games share;
- `numbering.py`: dense numbers of its positions, for tables; without it, positions are enumerated;
- `solving.py`: how that numbering is solved; without it, the default of `damier.solve.retrograde`;
- `tables/`: tables of solved positions;
- `texts.LANGUAGE.json`: its texts; without it, texts made from its names;
- `page.LANGUAGE.md`: the page of rules; without it, the docstring of the rules;
- `look.json`: the colours of its board; without it, a plain board;
- `lessons.json`, `lessons.LANGUAGE.json`: its lessons (`damier.learning.lessons`);
- `puzzles.jsonl`: its puzzles (`damier.learning.puzzles`);
- `lab.json`: its published report (`damier.lab`).

`static_checks` checks the names and types in the rules, `dynamic_checks` plays random games;
docs/your-game.md is the tutorial for inventors.
"""

from __future__ import annotations

from typing import Any, Protocol

from damier.games.board import Board
from damier.games.constants import Option
from damier.games.steps import Action, Note
from damier.jit import Buffer

Words = tuple[int, int, int]

# Names that rules must define; all others have a default.
REQUIRED = ("NAME", "GROUPS", "board", "start", "legal", "play", "describe")
MAX_GROUPS = 60  # groups of steps: a step must fit in 12 bits


class RulesKernels(Protocol):
    """Compiled part of the rules, with which kernel templates are linked.

    A position is three integers: White's pawns, Black's pawns, and a word for the rest, whose bit
    0 is the side to move and which holds the options in force. The steps are in groups; a legal
    step is a bit in its group's word. All functions but `legal` and `play` have defaults.
    """

    GROUPS: int  # groups of steps
    FINAL: int  # the groups whose steps always end the move, as bits
    ONE_STEP_UNIQUE: bool  # no two moves reach a position that a move of one step reaches
    MIDTURN: int  # bits of the third word that are set inside a move and only there
    REPETITION_BITS: int  # bits of the third word that tell repeated positions apart, with the side

    def legal(self, w: int, b: int, r: int, out: Buffer) -> int:
        """Return the judgement on a position, or 0 and in `out` the legal steps of each group.

        Every group must be set, to 0 if it has no step: the buffer is reused between positions.
        """
        ...

    def play(self, w: int, b: int, r: int, step: int) -> Words:
        """Return the position after a legal step."""
        ...

    def superfluous(self, r: int, step: int) -> bool:
        """Tell whether a step is skipped: another order of the same steps is the same move."""
        ...

    # History policy: results and prohibitions that follow from earlier positions.

    def repeatable(self, w: int, b: int, r: int) -> bool:
        """Tell whether a position counts towards repetition."""
        ...

    def repeated(self, w: int, b: int, r: int) -> int:
        """Return the judgement on a position that occurs for the third time."""
        ...

    def superko(self, r: int) -> bool:
        """Tell whether a move must not repeat a position of the game."""
        ...

    def shut_in(self, w: int, b: int, r: int) -> int:
        """Return the judgement on a position in which superko forbids every move."""
        ...


class RulesModule(RulesKernels, Protocol):
    """Names of `rules.py`, with the defaults filled in: the only implementation of the rules."""

    NAME: str
    FIELDS: tuple[str, ...]  # of the position's text, after the side
    OPTIONS: tuple[Option, ...]
    PRESETS: dict[str, dict[str, str]]  # the first one is the default
    REASONS: tuple[str, ...]  # for which this game alone can end, numbered from OWN_REASON
    COLOUR_SWAP: bool  # the rules are the same for both colours
    CAPTURES: bool  # pawns can be captured

    def board(self, r: int) -> Board:
        """Return the board under the options of the word."""
        ...

    def start(self, r: int) -> Words:
        """Return the starting position, given the options as a word."""
        ...

    def describe(self, w: int, b: int, r: int, step: int) -> Action:
        """Return what a legal step does."""
        ...

    def pawns(self, r: int) -> int:
        """Return how many pawns a side has at most."""
        ...

    def hands(self, w: int, b: int, r: int) -> tuple[int, int] | None:
        """Return how many pawns each side has still to place, or None if none are ever placed."""
        ...

    def read_fields(self, w: int, b: int, r: int, fields: list[str]) -> int:
        """Return the third word with the values of the fields of a position's text."""
        ...

    def write_fields(self, w: int, b: int, r: int) -> list[str]:
        """Return the fields of a position's text."""
        ...

    def transformed(self, r: int, to: tuple[int, ...], swap: bool) -> int:
        """Return the third word under a symmetry of the board, optionally with swapped colours.

        The caller changes bit 0. The position is between moves.
        """
        ...

    # Explanations for the player, as keys of texts.

    def why(self, w: int, b: int, r: int, tried: Action) -> Note | None:
        """Return the rule of this game that makes a step illegal, if any."""
        ...

    def must(self, w: int, b: int, r: int) -> str:
        """Return the obligation that restricts the choice of steps, such as "capture", or ""."""
        ...

    def shown(self, w: int, b: int, r: int, judgement: int) -> int:
        """Return the cells that show why a game has ended, as bits."""
        ...

    def promoted(self, w: int, b: int, r: int) -> int:
        """Return the promoted pawns (kings), as bits. They are drawn with a crown."""
        ...

    def resting(self, w: int, b: int, r: int) -> int:
        """Return the pawns that their owner must not move next, as bits."""
        ...

    def barred(self, w: int, b: int, r: int) -> tuple[tuple[int, int], ...]:
        """Return the pairs of cells between which an otherwise legal step is forbidden now."""
        ...

    def notes(self, w: int, b: int, r: int) -> list[Note]:
        """Return facts that affect the legal moves and are not visible on the board."""
        ...

    def reminder(self, w: int, b: int, r: int) -> Note | None:
        """Return a hint for the player to move, if any."""
        ...


class Evaluation(Protocol):
    """Names of `evaluation.py`, which the search uses. All functions are kernels.

    The module also has `NAMES`, the features with a weight in `weights.json`, and `tables()`,
    numbers that `evaluate` finds after the weights. A global `rules` becomes the game's rules.
    Missing names are taken from `damier.games.evaluation`.
    """

    LMR_AFTER: int  # late move reductions begin after so many steps; 4096: never
    FUTILITY_DEPTH: int  # futility pruning, in the last so many moves of a search …
    FUTILITY_MARGIN: int  # … where the evaluation is above beta by so much a move

    def evaluate(self, w: int, b: int, r: int, weights: Buffer) -> int:
        """Return a static evaluation for the side to move, below 50,000."""
        ...

    def move_order(self, w: int, b: int, r: int, step: int) -> int:
        """Return a step's score for move ordering, below 256; 0: killers and history decide."""
        ...

    def hash_rest(self, w: int, b: int, r: int) -> int:
        """Return the third word for the hash key, without bits that do not affect the value."""
        ...

    def contempt(self, own: int, enemy: int, r: int) -> int:
        """Return how much less a position is worth to a player who must win."""
        ...

    def quiescence_depth(self, r: int) -> int:
        """Return how deep quiescence goes, in moves."""
        ...

    def may_stand_pat(self, w: int, b: int, r: int, legal: Buffer) -> bool:
        """Tell whether the side to move may stand pat in quiescence search."""
        ...

    def keep_noisy(self, w: int, b: int, r: int, legal: Buffer) -> bool:
        """Keep only the noisy steps, which quiescence searches; tell whether there are any."""
        ...


class ObservationPlanes(Protocol):
    """Names of `planes.py`: a position as planes, and the directions of its steps.

    The module also has `DIRECTIONS`, for each group of steps the direction that it goes to or None,
    and `SINGLE`, as bits the groups whose only step is named by cell 0 wherever it is played.
    """

    NAMES: tuple[str, ...]  # of the planes

    def put_planes(self, w: int, b: int, r: int, out: Buffer) -> None:
        """Write the planes of a position to `out`, each a set of cells; a kernel.

        Bits above the board's cells are ignored.
        """
        ...


class Repetition(Protocol):
    """Names of `repetition.py`, which save time and memory and change no result."""

    FINAL_CAPTURES: bool  # no position that counts for repetition returns after a capture

    def may_repeat(self, w: int, b: int, r: int, seen: int, steps: Buffer) -> None:
        """Remove from `steps`, sets of cells by group, those that cannot repeat a position.

        A kernel; `seen` are the parts of the position (`damier.games.repetition`) that an earlier
        position with the other side to move had too.
        """
        ...


class Motifs(Protocol):
    """Name of `motifs.py`, which finds what a game's moves do in its own terms."""

    def motifs(self, position: Any, move: Any) -> Any:
        """Yield the motifs of a `Move` in a `Position`, each with the details of its text.

        The texts are `explain.MOTIF` in the game's `texts.*.json`.
        """
        ...


class Endings(Protocol):
    """Numbering with `probe_code`, through which the search probes a table."""

    def probe_code(self, w: int, b: int, r: int, values: Any, numbering: Any) -> int:
        """Return the code of a position between moves, or -1 if it is not held."""
        ...
