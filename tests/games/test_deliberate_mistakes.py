"""Mistakes that inventors plausibly make: each is detected when the game is loaded."""

from pathlib import Path

import pytest

from damier import DamierError
from damier.cli import new_game
from damier.games.dynamic_checks import DynamicChecker
from damier.games.folder import from_path
from tests.support.messages import check_message

GAMES = Path(__file__).parents[1] / "data" / "games"
SOURCES = {
    "mygame": (Path(new_game.__file__).parent / "skeleton" / "rules.py").read_text("utf-8"),
    "mill": (GAMES / "mill" / "rules.py").read_text("utf-8"),
    **{name: (GAMES / f"{name}.py").read_text("utf-8") for name in ("dodgem", "konane", "reversi")},
    "teeko": (GAMES / "teeko" / "rules.py").read_text("utf-8"),
}


def define(*lines: str) -> str:
    """Return source that defines a function or constant at the end of a file."""
    return "\n".join(("", "", *lines, ""))


def option(source: str) -> str:
    """Return source that defines options at the end of a file."""
    imported = "from damier.games.constants import choice, number"
    return define(imported, "", f"OPTIONS = ({source},)")


def board(source: str) -> tuple[str, str, str, str]:
    """Return the mistake that the board is made with some arguments."""
    return "mygame", "BOARD = Board(3, 3)", f"BOARD = Board({source})", "game-import"


# By mistake: the game it is made in, what is written instead of what, and the key of the message.
# An empty text to replace means that the new one is added at the end.
MISTAKES = {
    # The side to move.
    "the side to move never changes": ("teeko", "r ^ 1", "r", "game-side"),
    "a chain passes the turn": (
        "konane", "after = r & ~MIDTURN | CHAIN", "after = r & ~MIDTURN ^ 1 | CHAIN",
        "game-side-inside",
    ),
    # describe and play disagree.
    "origin and target exchanged": (
        "teeko", 'Action("move", cell, cell + SHIFT[group - MOVE])',
        'Action("move", cell + SHIFT[group - MOVE], cell)', "game-action-pawn",
    ),
    "another target described": (
        "konane", 'Action("move", cell, cell + 2 * shift,', 'Action("move", cell, cell + shift,',
        "game-effect",
    ),
    "the capture is not described": (
        "konane", ", takes=1 << cell + shift)", ")", "game-effect",
    ),
    "the wrong pawn is described as captured": (
        "konane", "takes=1 << cell + shift", "takes=1 << cell + 2 * shift", "game-action-takes",
    ),
    "a captured pawn stays": (
        "konane", "        enemy ^= 1 << cell + shift\n", "", "game-effect",
    ),
    "a cell instead of its bit": (
        "konane", "takes=1 << cell + shift", "takes=cell + shift", "game-action-takes|game-effect",
    ),
    "pawns change sides without a description": (
        "reversi", ", flips=enclosed(own, enemy, cell, r >> 1 & 1)", "", "game-effect",
    ),
    "pawns that change sides described as captured": ("reversi", "flips=", "takes=", "game-effect"),
    "own pawns that change sides": (
        "reversi", "flips=enclosed(own, enemy, cell, r >> 1 & 1)", "flips=own",
        "game-action-flips",
    ),
    "a removal described as a capture": (
        "dodgem", 'Action("remove", cell)', 'Action("take", target=cell)', "game-effect",
    ),
    "a removal described by its target": (
        "dodgem", 'Action("remove", cell)', 'Action("remove", target=cell)', "game-action-cells",
    ),
    "a placement described as a move": (
        "teeko", 'Action("place", target=cell)', 'Action("move", cell, cell)', "game-action-pawn",
    ),
    "play puts the pawn elsewhere": (
        "mygame", "return w, b | 1 << cell, r ^ 1", "return w, b | 1 << 8 - cell, r ^ 1",
        "game-effect|game-two-pawns",
    ),
    "play changes the wrong side": (
        "mygame", "return w, b | 1 << cell, r ^ 1", "return w | 1 << cell, b, r ^ 1",
        "game-effect",
    ),
    "the group is not separated from the cell": (
        "konane", "    group, cell = group_and_cell(step)\n    size",
        "    group, cell = step >> 6, step\n    size", "game-raised|game-words|game-effect",
    ),
    # Rules that depend on more than the position.
    "a start by chance": (
        "mygame", "    return 0, 0, r\n",
        "    import random\n\n    return random.getrandbits(9), 0, r\n", "game-changing",
    ),
    "a description that counts its calls": (
        "mygame", '    return Action("place", target=cell)',
        '    CALLS.append(1)\n    return Action("place", target=(cell + len(CALLS)) % 9)\n\n\n'
        "CALLS = []", "game-changing",
    ),
    # What kernels cannot use.
    "division": ("teeko", "for way in range(8)", "for way in range(16 / 2)", "kernel-division"),
    "a decimal number": (
        "teeko", "popcount(own) < PAWNS", "popcount(own) < 3.5", "kernel-float",
    ),
    "a list": ("teeko", "for row in ROWS:", "for row in [15, 30]:", "kernel-list"),
    "a list comprehension": (
        "teeko", "for row in ROWS:", "for row in [x for x in ROWS]:", "kernel-list",
    ),
    "a global list": ("teeko", "ROWS = BOARD.rows(4)", "ROWS = list(BOARD.rows(4))", "kernel-list"),
    "a dictionary": (
        "teeko", "SHIFT = tuple(BOARD.shift(way) for way in WAYS)",
        "SHIFT = {i: BOARD.shift(way) for i, way in enumerate(WAYS)}", "kernel-dict",
    ),
    "a set": ("teeko", "for row in ROWS:", "for row in {15, 30}:", "kernel-set"),
    "text": ("teeko", "PLACE, MOVE, GROUPS = 0, 1, 9", 'PLACE, MOVE, GROUPS = "0", 1, 9',
             "kernel-text"),
    "decimal numbers in a tuple": (
        "teeko", "ROWS = BOARD.rows(4)", "ROWS = tuple(x / 1 for x in BOARD.rows(4))",
        "kernel-float",
    ),
    "a method of numbers": (
        "teeko", "popcount(own) < PAWNS", "own.bit_count() < PAWNS", "kernel-method",
    ),
    "the board in a kernel": (
        "teeko", "BOARD_CELLS & ~(w | b)", "BOARD.cells & ~(w | b)", "kernel-attribute",
    ),
    "a function that is not a kernel": (
        "konane", "@kernel\ndef jumps", "def jumps", "kernel-call",
    ),
    "a built-in function": ("teeko", "    some = 0\n", "    some = sum((0,))\n", "kernel-call"),
    "a function of a library": (
        "teeko", "    some = 0\n", "    some = math.isqrt(0)\n", "kernel-unknown|kernel-attribute",
    ),
    "a misspelt name": ("teeko", "popcount(own) < PAWNS", "popcount(own) < PAWN", "kernel-unknown"),
    "print": ("teeko", "    some = 0\n", "    some = 0\n    print(w, b)\n", "kernel-call"),
    "try": (
        "teeko", "    some = 0\n", "    try:\n        some = 0\n    except ValueError:\n"
        "        some = 1\n", "kernel-statement",
    ),
    # Results of the wrong type.
    "legal forgets its result": (
        "konane", "    return 0 if some else won(1 - side, BLOCKED)", "    some |= 0",
        "game-answer",
    ),
    "legal returns a truth value": (
        "konane", "return 0 if some else won(1 - side, BLOCKED)", "return not some", "game-answer",
    ),
    "hands is one number": (
        "teeko", "return PAWNS - w.bit_count(), PAWNS - b.bit_count()",
        "return PAWNS - w.bit_count()", "game-answer",
    ),
    "notes are text": (
        "teeko", "", define("def notes(w, b, r):", '    return "two left"'), "game-answer",
    ),
    "barred is a list": (
        "teeko", "", define("def barred(w, b, r):", "    return [(1, 2)]"), "game-answer",
    ),
    "barred has single cells": (
        "teeko", "", define("def barred(w, b, r):", "    return (1, 2)"), "game-answer",
    ),
    "resting is a tuple of cells": (
        "teeko", "", define("def resting(w, b, r):", "    return (1, 2)"), "game-answer",
    ),
    "must is missing a result": (
        "teeko", "", define("def must(w, b, r):", "    pass"), "game-answer",
    ),
    "reminder is text": (
        "teeko", "", define("def reminder(w, b, r):", '    return "place"'), "game-answer",
    ),
    "transformed has other parameters": (
        "teeko", "", define("def transformed(r):", "    return r"), "game-parameters",
    ),
    "fields are numbers": ("mill", "return [str(", "return [(", "game-answer"),
    # Hidden state, options and limits.
    "bits of a chain are left out of MIDTURN": (
        "konane", "MIDTURN = CHAIN | CELL | WAY", "MIDTURN = CHAIN", "game-fields",
    ),
    "a chain is never ended": (
        "konane", "after = r & ~MIDTURN ^ 1", "after = r ^ 1",
        "game-side-inside",
    ),
    "options are dropped": (
        "konane", "after = r & ~MIDTURN ^ 1", "after = 1 - (r & 1)", "game-options-changed",
    ),
    "a group too few": ("konane", "REMOVE, GROUPS = 4, 5, 6", "REMOVE, GROUPS = 4, 5, 5",
                        "game-final-groups"),
    "FINAL names numbers instead of bits": (
        "konane", "FINAL = 1 << END | 1 << REMOVE", "FINAL = END | REMOVE", "game-final",
    ),
    "more pawns than declared": (
        "teeko", "", define("def pawns(r):", "    return 2"), "game-pawns",
    ),
    "the end of the game is not reported": (
        "konane", "return 0 if some else won(1 - side, BLOCKED)", "return 0", "game-no-step",
    ),
    # The board.
    "steps around the edge": (
        "teeko", "own & near & MASK[way]", "own & near", "game-action-cells|game-symmetry",
    ),
    "pawns on pawns": ("mygame", "    out[PLACE] = empty\n", "    out[PLACE] = ALL\n",
                       "game-two-pawns|game-effect"),
    "a negative shift": (
        "teeko", "empty >> shift if shift > 0 else empty << -shift", "empty >> shift",
        "game-raised",
    ),
    "symmetries that are none": ("dodgem", ', symmetry="none"', "", "game-symmetry"),
    "sides that are not alike": ("dodgem", "FINAL = 0b1111\n", "FINAL = 0b1111\n"
                                 "COLOUR_SWAP = True\n", "game-swap"),
    "a symmetry that does not exist": (
        "dodgem", 'symmetry="none"', 'symmetry=("sideways",)', "game-import",
    ),
    # Options, names and masks.
    "an option twice": (
        "mygame", "", option('choice("a", 1, "x", "y"), choice("a", 2, "x", "y")'),
        "game-word-twice",
    ),
    "a value twice": ("mygame", "", option('choice("a", 1, "x", "x")'), "game-option"),
    "a single value": ("mygame", "", option('choice("a", 1, "x")'), "game-option"),
    "values that are numbers": ("mygame", "", option('choice("a", 1, 3, 4)'), "game-option"),
    "a bit that is text": ("mygame", "", option('choice("a", "1", "x", "y")'), "game-option"),
    "a largest number that is text": (
        "mygame", "", option('number("a", 1, 3, "7")'), "game-option",
    ),
    "a space in the name of an option": (
        "mygame", "", option('choice("my size", 1, "x", "y")'), "game-word",
    ),
    "an option called preset": (
        "mygame", "", option('choice("preset", 1, "x", "y")'), "game-word-taken",
    ),
    "a space in the name of a preset": (
        "mygame", "", define('PRESETS = {"My rules": {}}'), "game-word",
    ),
    "an ending twice": ("mygame", 'REASONS, FULL = ("full",)', 'REASONS, FULL = ("full", "full")',
                        "game-word-twice"),
    "an ending that all games have": (
        "mygame", 'REASONS, FULL = ("full",)', 'REASONS, FULL = ("line",)', "game-word-taken",
    ),
    "a mask with too many groups": (
        "mygame", "FINAL = 1 << PLACE", "FINAL = 0xFF", "game-final-groups",
    ),
    "a mask below 0": ("mygame", "FINAL = 1 << PLACE", "FINAL = -1", "game-final-groups"),
    "bits of repetition below 0": ("mygame", "", define("REPETITION_BITS = -1"), "game-midturn"),
    "a number of pawns that is text": (
        "mygame", "BOARD = Board(3, 3)", 'BOARD = Board(3, 3)\nPAWNS = "3"', "game-kind",
    ),
    # The board, when it is made.
    "a board below 0": board("-3, 3"),
    "a board of decimals": board("3.0, 3"),
    "cells by name": board('3, 3, cells="a1"'),
    "cells outside": board("3, 3, cells=0xFFFF"),
    "a place as a list": board('3, 3, places={"castle": [1, 2]}'),
    "a place outside": board('3, 3, places={"castle": 1 << 30}'),
    "an arrow outside": board("3, 3, arrows=((1, 99),)"),
    "a line outside": board("3, 3, lines=((1, 99),)"),
    "a cell that does not exist": (
        "mygame", "BOARD = Board(3, 3)", 'BOARD = Board(3, 3)\nCORNER = BOARD.bits("z9")',
        "game-import",
    ),
    "another board for Black": (
        "mygame", "    return BOARD\n", "    return (BOARD, Board(3, 4))[r & 1]\n",
        "game-board-changes",
    ),
    "a board for White only": (
        "mygame", "    return BOARD\n", "    return (BOARD,)[r]\n", "game-raised",
    ),
    # Values of the other functions.
    "fewer than no pawns in hand": (
        "teeko", "return PAWNS - w.bit_count(),", "return PAWNS - 1 - w.bit_count(),", "game-hands",
    ),
    "kings without pawns": (
        "mygame", "", define("def promoted(w, b, r):", "    return 511"), "game-cells-pawns",
    ),
    "kings below 0": (
        "mygame", "", define("def promoted(w, b, r):", "    return -1"), "game-cells-pawns",
    ),
    "resting pawns that are none": (
        "mygame", "", define("def resting(w, b, r):", "    return 1 << 40"), "game-cells-pawns",
    ),
    "shown cells outside": (
        "mygame", "", define("def shown(w, b, r, judgement):", "    return 1 << 40"), "game-cells",
    ),
    "barred cells outside": (
        "mygame", "", define("def barred(w, b, r):", "    return ((70, -3),)"), "game-pair",
    ),
    "why is text": (
        "mygame", "", define("def why(w, b, r, tried):", '    return "no"'), "game-answer",
    ),
    "why fails": (
        "mygame", "", define("def why(w, b, r, tried):", "    return 1 // 0"), "game-raised",
    ),
    "a note about a cell outside": (
        "mygame", "", define("from damier.games.steps import Note", "", "",
                             "def notes(w, b, r):", '    return [Note("far", {"cell": 80})]'),
        "game-cells",
    ),
    "a third occurrence with an unknown result": (
        "mygame", "", define("@kernel", "def repeated(w: int, b: int, r: int) -> int:",
                             "    return 77"), "game-judgement",
    ),
    "no way out with an unknown result": (
        "mygame", "", define("@kernel", "def shut_in(w: int, b: int, r: int) -> int:",
                             "    return -5"), "game-judgement",
    ),
    "every step is superfluous": (
        "mygame", "", define("@kernel", "def superfluous(r: int, step: int) -> bool:",
                             "    return True"), "game-superfluous",
    ),
    "other pawns as a list": (
        "mygame", 'Action("place", target=cell)', 'Action("place", target=cell, puts=[(1, 2)])',
        "game-action-cells",
    ),
    "another pawn sent outside": (
        "mygame", 'Action("place", target=cell)', 'Action("place", target=cell, puts=((1, 99),))',
        "game-action-cells",
    ),
    "other pawns as a number": (
        "mygame", 'Action("place", target=cell)', 'Action("place", target=cell, puts=3)',
        "game-action-cells",
    ),
    "describe calls itself": (
        "mygame", 'return Action("place", target=cell)', "return describe(w, b, r, step)",
        "game-raised",
    ),
    # More that kernels cannot use.
    "a number that is too large": (
        "teeko", "ROWS = BOARD.rows(4)", "ROWS = (1 << 63, 1)", "kernel-large",
    ),
    "rows of different lengths": (
        "teeko", "ROWS = BOARD.rows(4)", "ROWS = ((1, 2), (3,))", "kernel-ragged",
    ),
    "None in a tuple": ("teeko", "ROWS = BOARD.rows(4)", "ROWS = (None, 1)", "kernel-object"),
    "a range outside": ("teeko", "ROWS = BOARD.rows(4)", "ROWS = range(3)", "kernel-object"),
    "an array": (
        "teeko", "ROWS = BOARD.rows(4)", "import array\nROWS = array.array('q', [1])",
        "kernel-object",
    ),
    "a fraction": (
        "teeko", "ROWS = BOARD.rows(4)", "import fractions\nROWS = fractions.Fraction(1, 2)",
        "kernel-object",
    ),
    "a name in an expression": (
        "teeko", "    some = 0\n", "    if (some := 0):\n        some = 0\n", "kernel-statement",
    ),
    "the rest of a tuple": (
        "teeko", "    some = 0\n", "    some, *others = (0, 1)\n", "kernel-statement",
    ),
    "a name is deleted": (
        "teeko", "    some = 0\n", "    some = 0\n    none = 0\n    del none\n",
        "kernel-statement",
    ),
    "a kernel that never ends its calls": (
        "mygame", "    side = r & 1\n", "    side = legal(w, b, r, out) & 1\n", "game-raised",
    ),
    "a decorator in brackets": ("mygame", "@kernel\ndef legal", "@kernel()\ndef legal",
                                "game-import"),
    # Files that are not what they seem.
    "a letter that is not UTF-8": ("mygame", "…", "\udce9", "game-encoding"),
    "a zero byte": ("mygame", "…", "\0", "game-encoding"),
    "a file beside the game": (
        "mygame", "from damier.jit import", "from .rows import ROWS\nfrom damier.jit import",
        "game-import",
    ),
}  # fmt: skip  # compact list


def test_there_are_enough_mistakes() -> None:
    assert len(MISTAKES) >= 58


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_rules_is_detected(name: str, tmp_path: Path) -> None:
    game, old, new, keys = MISTAKES[name]
    source = SOURCES[game]
    assert old in source, old
    path = tmp_path / "broken.py"
    path.write_text(
        source.replace(old, new) if old else source + new, "utf-8", errors="surrogateescape"
    )
    with pytest.raises(DamierError) as refused:
        from_path(path)
    assert refused.value.key in keys.split("|"), refused.value
    check_message(refused.value, path)


def test_a_game_that_does_not_end_is_reported_with_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "endless.py"
    moving = SOURCES["teeko"].replace("if popcount(enemy) == PAWNS:", "if popcount(enemy) > PAWNS:")
    assert moving != SOURCES["teeko"]
    text = moving + define(
        "@kernel", "def repeatable(w: int, b: int, r: int) -> bool:", "    return False"
    )
    path.write_text(text, "utf-8")
    (warning,) = from_path(path).warnings
    assert warning.key == "game-unending"
    assert "moves played: 1000" in str(warning)
    assert "drawn(STALLED)" in str(warning)
    check_message(warning, path)


def test_rules_that_change_their_mind_are_detected(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SOURCES["mygame"], "utf-8")
    module = from_path(path).module
    legal, calls = module.legal, []

    def fickle(w: int, b: int, r: int, out: list[int]) -> int:
        calls.append(1)
        result: int = legal(w, b, r, out)
        out[0] &= ~(1 << len(calls) % 9)
        return result

    module.legal = fickle  # type: ignore[attr-defined]
    with pytest.raises(DamierError) as refused:
        DynamicChecker(module).run()
    assert refused.value.key == "game-changing"


def test_positions_that_two_moves_reach_are_not_counted_twice(tmp_path: Path) -> None:
    changes = {
        "GROUPS = 1\n": "GROUPS, ONE_STEP_UNIQUE = 2, True\n",
        "    out[PLACE] = empty\n": "    out[PLACE] = out[1] = empty\n",
        "target=cell)": 'target=cell, by="A" if step >> 6 else "")',
    }
    text = SOURCES["mygame"]
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "twice.py"
    path.write_text(text, "utf-8")
    with pytest.raises(DamierError) as refused:
        from_path(path)
    assert refused.value.key == "game-one-step", refused.value
    check_message(refused.value, path)
