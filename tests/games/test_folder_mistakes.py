"""Mistakes in the files beside the rules: each is detected when the game is loaded."""

from pathlib import Path

import pytest

from damier import DamierError
from damier.cli import new_game
from damier.games.folder import from_path
from tests.support.messages import check_message

SOURCE = (Path(new_game.__file__).parent / "skeleton" / "rules.py").read_text("utf-8")


def evaluating(body: str, key: str) -> tuple[str, str, str]:
    """Return the mistake of an evaluation with some body."""
    source = f"""from damier.jit import kernel, popcount


@kernel
def evaluate(w, b, r, weights):
    {body}


"""
    return "evaluation.py", source, key


# By mistake: the file, its content, and the key of the message.
FILES = {
    "a text that is a number": ("texts.en.json", '{"name": 5}', "game-text"),
    "seven levels": (
        "levels.py", "from damier.games.levels import DEFAULT_LEVELS\n"
        "LEVELS = DEFAULT_LEVELS[:7]\n", "game-levels",
    ),
    "levels that fail": ("levels.py", "def levels(options):\n    return LEVEL\n", "game-raised"),
    "an evaluation that is no kernel": (
        "evaluation.py", "def evaluate(w, b, r, weights):\n    return 0\n", "game-not-kernel",
    ),
    "an evaluation with other parameters": (
        "evaluation.py", "from damier.jit import kernel\n\n\n@kernel\ndef evaluate(w, b):\n"
        "    return 0\n", "game-parameters",
    ),
    "an evaluation with decimal numbers": (
        "evaluation.py", "from damier.jit import kernel\n\n\n@kernel\n"
        "def evaluate(w, b, r, weights):\n    return 0.5\n", "kernel-float",
    ),
    "an evaluation that is not Python": ("evaluation.py", "def evaluate(\n", "game-syntax"),
    "an evaluation without a result": evaluating("pass", "game-answer"),
    "an evaluation above the value of a win": evaluating("return 1_000_000", "game-answer"),
    "an evaluation of two numbers": evaluating("return 1, 2", "game-answer"),
    "a weight that does not exist": evaluating("return weights[7]", "game-raised"),
    "a division by the pawns": evaluating("return 10 // popcount(w)", "game-raised"),
    "an evaluation that never ends": evaluating("while r >= 0:\n        r += 2", "game-endless"),
    "weights with decimals": (
        "evaluation.py", evaluating("return 0", "")[1] + 'WEIGHTS = {"pawn": 1.5}\n', "game-kind",
    ),
    "a scale that is text": (
        "evaluation.py", evaluating("return 0", "")[1] + 'SCALE = "100"\n', "game-value",
    ),
    "modules that import each other": (
        "evaluation.py", "from .evaluation import WEIGHTS\n", "game-import",
    ),
    "levels that never end": (
        "levels.py", "def levels(options):\n    while True:\n        pass\n", "game-endless",
    ),
    "a file that never ends": ("levels.py", "while True:\n    pass\n", "game-endless"),
    "a level below 0": (
        "levels.py", "from damier.games.levels import Level\nLEVELS = (Level(depth=-5),) * 8\n",
        "game-level",
    ),
    "a level without a limit": (
        "levels.py", "from damier.games.levels import Level\nLEVELS = (Level(),) * 8\n",
        "game-level",
    ),
    "a setting that does not exist": (
        "levels.py", "from damier.games.levels import Level\nLEVELS = (Level(deph=1),) * 8\n",
        "game-import",
    ),
    "no levels": ("levels.py", "LEVEL = 1\n", "game-levels"),
    "planes without names": ("planes.py", "NAME = 1\n", "game-kind"),
    "planes that are not written": ("planes.py", 'NAMES = ("own",)\n', "game-part-missing"),
    "planes outside": (
        "planes.py", 'NAMES, DIRECTIONS, SINGLE = ("own",), (), 0\n'
        "from damier.jit import kernel\n\n\n@kernel\ndef put_planes(w, b, r, out):\n"
        "    out[1] = w\n", "game-raised",
    ),
    "captures that are perhaps final": ("repetition.py", "FINAL_CAPTURES = 1\n", "game-kind"),
    "no step repeats a position": (
        "repetition.py", "from damier.jit import kernel\n\n\n@kernel\n"
        "def may_repeat(w, b, r, seen, steps):\n    steps[0] = 0\n", "game-repeats",
    ),
    "repetition without the position": (
        "repetition.py", "from damier.jit import kernel\n\n\n@kernel\n"
        "def may_repeat(seen, steps):\n    steps[0] = 0\n", "game-parameters",
    ),
    "motifs without a position": (
        "motifs.py", "def motifs(move):\n    return []\n", "game-parameters",
    ),
    "no motifs": ("motifs.py", "MOTIFS = ()\n", "game-part-missing"),
    "a numbering that is incomplete": ("numbering.py", "VERSION = 1\n", "game-part-missing"),
    "a solving module that is not Python": ("solving.py", "solve = = 1\n", "game-syntax"),
    "weights of other names": (
        "weights.json", '{"source": "", "scale": 100, "weights": {"pwan": 3}}', "game-value",
    ),
    "a scale of 0": ("weights.json", '{"source": "", "scale": 0, "weights": {}}', "game-value"),
    "weights without a scale": ("weights.json", '{"weights": {}}', "game-fields-of"),
    "three ratings": ("strengths.json", '{"points": [900, 1000, 1100]}', "game-value"),
    "ratings that are text": ("strengths.json", '{"points": "abcdefgh"}', "game-value"),
    "a colour for light pages only": (
        "look.json", '{"page": {"frame": "#ffffff"}}', "game-value",
    ),
    "a colour that is none": (
        "look.json", '{"page": {"frame": ["brown; x", "#000000"]}}', "game-value",
    ),
    "colours as a list": ("look.json", '{"page": []}', "game-value"),
    "a move instead of moves": ("look.json", '{"miniature": "a1"}', "game-value"),
    "an aim without a position": ("look.json", '{"aim": {"turns": []}}', "game-value"),
    "a comma too many": ("texts.fr.json", '{"name": "a",}', "game-json"),
    "single quotes": ("look.json", "{'page': {}}", "game-json"),
    "a list": ("texts.en.json", "[]", "game-object"),
    "a brace that is not closed": ("texts.en.json", '{"aim": "Go to {cell."}', "game-braces"),
    "a detail that the text does not get": (
        "texts.en.json", '{"result.w": "{winner} wins."}', "game-detail",
    ),
    **{
        f"{file} that is not UTF-8": (file, "{\"name\": \"\udce9\"}", "game-encoding")
        for file in ("texts.en.json", "look.json", "lessons.json", "page.en.md", "evaluation.py")
    },
}  # fmt: skip  # compact list


@pytest.mark.parametrize("name", FILES)
def test_a_mistake_in_another_file_is_detected(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, content, key = FILES[name]
    if key == "game-endless":
        monkeypatch.setattr("damier.games.time_limits.TIMEOUT_S", 1.0)
    (tmp_path / "rules.py").write_text(SOURCE, "utf-8")
    (tmp_path / file).write_text(content, "utf-8", errors="surrogateescape")
    with pytest.raises(DamierError) as refused:
        from_path(tmp_path)
    assert refused.value.key == key, refused.value
    check_message(refused.value, tmp_path / file)


# By mistake that leaves the game playable: the file, what it contains, and what is suggested.
WARNINGS = {
    "a misspelt text": ("texts.en.json", '{"nmae": "Mine"}', "name"),
    "the text of something else": ("texts.fr.json", '{"zzz": "Taille"}', ""),
    "the text of another ending": ("texts.en.json", '{"reason.fulll": "full."}', "reason.full"),
    "a misspelt part of the look": ("look.json", '{"pages": {}}', "page"),
    "a misspelt colour": ("look.json", '{"page": {"frmae": ["#000", "#fff"]}}', "frame"),
    "a misspelt colour of pictures": ("look.json", '{"picture": {"lien": "#000"}}', "line"),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_an_unknown_key_is_reported_with_the_nearest(name: str, tmp_path: Path) -> None:
    file, content, nearest = WARNINGS[name]
    (tmp_path / "rules.py").write_text(SOURCE, "utf-8")
    (tmp_path / file).write_text(content, "utf-8")
    (warning,) = from_path(tmp_path).warnings
    assert warning.key == "game-unknown-key"
    assert f"“{nearest}”?" in str(warning) if nearest else str(warning).endswith("here.")
    check_message(warning, tmp_path / file)


def test_a_note_names_only_what_it_gets(tmp_path: Path) -> None:
    noting = """

from damier.games.steps import Note


def notes(w, b, r):
    return [Note("last", {"count": 3})]
"""
    (tmp_path / "rules.py").write_text(SOURCE + noting, "utf-8")
    texts = tmp_path / "texts.en.json"
    texts.write_text('{"note.last": "{number} left."}', "utf-8")
    with pytest.raises(DamierError) as refused:
        from_path(tmp_path)
    assert refused.value.key == "game-detail"
    assert "{number}, which it does not get. It gets: {count}." in str(refused.value)
    check_message(refused.value, texts)
    texts.write_text('{"note.last": "{count} left."}', "utf-8")
    assert from_path(tmp_path).warnings == []
