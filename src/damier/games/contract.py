"""What a game gives: its rules, which it must, and all else, which it may.

A game is a folder. `rules.py` is the one file it must have, and `RulesFile` says what stands in it;
a game of one file has nothing else. What the rules leave unsaid is taken from
`damier.games.defaults`. The other files of a folder, and what stands in for them:

- `evaluation.py`: what the search knows of the game (`Evaluation`); without it, pawns and freedom;
- `weights.json`: how much each feature of the evaluation counts;
- `levels.py`: how levels 1 to 8 play (`levels`); without it, as usual (`damier.games.levels`);
- `strengths.json`: how many points of a rating each level has; without it, as usual too;
- `numbering.py`: its positions as dense numbers, for tables; without it, all positions are listed;
- `solving.py`: how that numbering is solved; without it, the usual way (`damier.solve.retrograde`);
- `tables/`: solved positions that come with the game;
- `texts.LANGUAGE.json`: every sentence about it; without it, its name and plain words;
- `page.LANGUAGE.md`: the page of rules; without it, the docstring of the rules;
- `look.json`: the colours of its board; without it, a plain board;
- `lessons.json`, `lessons.LANGUAGE.json`: the game learnt by doing it (`damier.lessons`); without
  them, no lesson;
- `puzzles.jsonl`: its puzzles (`damier.puzzles`); without it, it has none.

`damier.games.checks` sees to it that rules are so, and `damier.games.trial` tries those that come
from outside; docs/your-game.md explains all this to an inventor.
"""

from __future__ import annotations

from typing import Any, Protocol

from damier.games.board import Board
from damier.games.steps import Action, Note
from damier.games.terms import Option
from damier.jit import Buffer

Words = tuple[int, int, int]

# What rules must give; all else has a default.
MUST = ("NAME", "GROUPS", "board", "start", "legal", "play", "describe")
MOST_GROUPS = 60  # of steps: a step must fit in 12 bits


class RulesKernels(Protocol):
    """The part of the rules that runs compiled: what loops over any game are linked with.

    A position is three integers: White's pawns, Black's pawns, and a word for the rest, whose bit
    0 is the side to move and which holds the options in force. The steps are in groups; a legal
    step is a bit in its group's word. All functions but `legal` and `play` have defaults.
    """

    GROUPS: int  # groups of steps
    FINAL: int  # the groups whose steps always end the turn, as bits
    ONE_STEP_UNIQUE: bool  # no other turn reaches the position that a turn of one step reaches
    MIDTURN: int  # bits of the third word that are set inside a turn and only there

    def legal(self, w: int, b: int, r: int, out: Buffer) -> int:
        """Return the judgement on a position, or 0 and in `out` the legal steps of each group.

        Every group is set, to 0 if it has none: what was there before is of another position.
        """
        ...

    def play(self, w: int, b: int, r: int, step: int) -> Words:
        """Return the position after a legal step."""
        ...

    def superfluous(self, r: int, step: int) -> bool:
        """Tell whether another order of the same steps writes the same turn."""
        ...

    # The history policy: what earlier positions of a game end or forbid.

    def repeatable(self, w: int, b: int, r: int) -> bool:
        """Tell whether a position counts towards repetition."""
        ...

    def repeated(self, w: int, b: int, r: int) -> int:
        """Return the judgement on a position that occurs for the third time."""
        ...

    def superko(self, r: int) -> bool:
        """Tell whether a turn must not bring back a position of the game."""
        ...

    def shut_in(self, w: int, b: int, r: int) -> int:
        """Return the judgement on a position every turn of which is barred by earlier ones."""
        ...


class RulesFile(RulesKernels, Protocol):
    """What stands in `rules.py`, with the defaults filled in: no rule is written elsewhere."""

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
        """Return the third word with what the fields of a position's text say."""
        ...

    def write_fields(self, w: int, b: int, r: int) -> list[str]:
        """Return the fields of a position's text."""
        ...

    def transformed(self, r: int, to: tuple[int, ...], swap: bool) -> int:
        """Return the third word under a symmetry of the board, with colours swapped if need be.

        Bit 0 is seen to. The position is between turns.
        """
        ...

    # What a person is told, as keys of texts.

    def why(self, w: int, b: int, r: int, tried: Action) -> Note | None:
        """Return the rule of this game that a step, which is not legal, would break, if any."""
        ...

    def must(self, w: int, b: int, r: int) -> str:
        """Return what narrows the choice of steps ("capture", say), or ""."""
        ...

    def shown(self, w: int, b: int, r: int, judgement: int) -> int:
        """Return the cells that show why a game has ended, as bits."""
        ...

    def resting(self, w: int, b: int, r: int) -> int:
        """Return the pawns that their owner must not move next, as bits."""
        ...

    def barred(self, w: int, b: int, r: int) -> tuple[tuple[int, int], ...]:
        """Return the cells between which a step that could be played is barred for now."""
        ...

    def notes(self, w: int, b: int, r: int) -> list[Note]:
        """Return what decides about legal turns and cannot be seen on the board."""
        ...

    def reminder(self, w: int, b: int, r: int) -> Note | None:
        """Return what the player to move had better know."""
        ...


class Evaluation(Protocol):
    """What the search knows of a game: `evaluation.py`. All functions are kernels.

    Beside them stand `NAMES`, the features that `weights.json` weighs, and `tables()`, numbers that
    `evaluate` looks up behind the weights. A module that names `rules` is linked with the game's.
    What it leaves out is taken from `damier.games.evaluation`.
    """

    LMR_AFTER: int  # late move reductions begin after so many steps; 4096: never
    FUTILITY_DEPTH: int  # futility pruning, in the last so many turns of a search …
    FUTILITY_MARGIN: int  # … where the evaluation is above beta by so much a turn

    def evaluate(self, w: int, b: int, r: int, weights: Buffer) -> int:
        """Return a static evaluation for the side to move, below 50,000."""
        ...

    def move_order(self, w: int, b: int, r: int, step: int) -> int:
        """Return a step's score for move ordering, below 256; 0: killers and history decide."""
        ...

    def hash_rest(self, w: int, b: int, r: int) -> int:
        """Return the third word for the hash key: without what does not matter to the value."""
        ...

    def contempt(self, own: int, enemy: int, r: int) -> int:
        """Return how much less a position is worth to a player who must win."""
        ...

    def quiescence_depth(self, r: int) -> int:
        """Return how deep quiescence goes, in turns."""
        ...

    def may_stand_pat(self, w: int, b: int, r: int, legal: Buffer) -> bool:
        """Tell whether the mover may stand pat, as if he could leave the position as it is."""
        ...

    def keep_noisy(self, w: int, b: int, r: int, legal: Buffer) -> bool:
        """Keep only the noisy steps, which quiescence looks at; tell whether there are any."""
        ...


class Endings(Protocol):
    """A table that a search can look into: a numbering with `probe_code`."""

    def probe_code(self, w: int, b: int, r: int, values: Any, numbering: Any) -> int:
        """Return the code of a position between turns, or -1 if it is not held."""
        ...
