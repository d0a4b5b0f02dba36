"""Games from outside: contract violations are reported by name and line; other games work."""

import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import damier
from damier import DamierError, i18n, jit
from damier.cli import new_game
from damier.games import GAMES, RefusedGame, load
from damier.games.board import Board
from damier.games.contract import REQUIRED
from damier.games.dynamic_checks import DynamicChecker
from damier.games.folder import from_path
from damier.games.static_checks import FUNCTIONS

pytestmark = pytest.mark.usefixtures("own_registry")

SKELETON = Path(new_game.__file__).parent / "skeleton"
SOURCE = (SKELETON / "rules.py").read_text("utf-8")


def written(folder: Path, text: str, name: str = "rules.py") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return folder


def changed(old: str, new: str) -> str:
    assert SOURCE.count(old) == 1, old
    return SOURCE.replace(old, new)


RAISES = "    raise RuntimeError('not yet')"
# What is changed in rules that work, the key of the message, and what stands on the line it names.
BROKEN = {
    "syntax": ("GROUPS = 1\n", "GROUPS = = 1\n", "game-syntax", "GROUPS = ="),
    "indent": ("    return BOARD\n", "  return BOARD\n", "game-syntax", "  return"),
    "import": ("import Buffer, kernel", "import Buffer, colonel", "game-import", "colonel"),
    "raises": ("GROUPS = 1\n", "GROUPS = 1 // 0\n", "game-import", "1 // 0"),
    "exits": ("GROUPS = 1\n", "raise SystemExit(3)\n", "game-import", "SystemExit"),
    "no name": ('NAME = "mygame"', 'TITLE = "mygame"', "game-missing", None),
    "name": ('NAME = "mygame"', 'NAME = "My game"', "game-name", "NAME"),
    "name's kind": ('NAME = "mygame"', "NAME = 5", "game-kind", "NAME"),
    "no groups": ("GROUPS = 1\n", "GROUPS = 0\n", "game-groups", "GROUPS"),
    "too many": ("GROUPS = 1\n", "GROUPS = 61\n", "game-groups", "GROUPS"),
    "groups' kind": ("GROUPS = 1\n", 'GROUPS = "1"\n', "game-kind", "GROUPS"),
    "final": ("FINAL = 1 << PLACE", "FINAL = (PLACE,)", "game-kind", "FINAL"),
    "reasons": ('("full",), OWN_REASON', '"full", OWN_REASON', "game-kind", "REASONS"),
    "no function": ("def board(r: int) -> Board:", "board = BOARD\n\n\ndef _(r: int) -> Board:",
                    "game-function", "board = BOARD"),
    "parameters": ("def legal(w: int, b: int, r: int, out: Buffer)",
                   "def legal(w: int, b: int, out: Buffer)", "game-parameters", "def legal"),
    "keywords": ("def start(r: int)", "def start(*, r: int)", "game-parameters", "def start"),
    "no kernel": ("@kernel\ndef play", "def play", "game-not-kernel", "def play"),
    "midturn": ("GROUPS = 1\n", "GROUPS, MIDTURN = 1, 3\n", "game-midturn", "MIDTURN"),
    "big board": ("Board(3, 3)", "Board(8, 8)", "game-import", "Board(8"),
    "wide board": ("Board(3, 3)", "Board(1, 22)", "game-import", "Board(1"),
    "board's kind": ("    return BOARD\n", "    return 3, 3\n", "game-answer", "def board"),
    "start": ("    return 0, 0, r\n", "    return 0, 0\n", "game-answer", "def start"),
    "start raises": ("    return 0, 0, r\n", RAISES + "\n", "game-raised", "not yet"),
    "start outside": ("    return 0, 0, r\n", "    return 1 << 9, 0, r\n", "game-off-board",
                      "def start"),
    "start twice": ("    return 0, 0, r\n", "    return 1, 1, r\n", "game-two-pawns", "def start"),
    "start below 0": ("    return 0, 0, r\n", "    return 0, 0, -2\n", "game-words", "def start"),
    "legal raises": ("    empty = ALL & ~(w | b)\n", RAISES + "\n", "kernel-call",
                     "not yet"),
    "not set": ("    out[PLACE] = empty\n", "", "game-out", "def legal"),
    "no cell": ("    out[PLACE] = empty\n", "    out[PLACE] = empty | 1 << 9\n", "game-cell",
                "def legal"),
    "below 0": ("    out[PLACE] = empty\n", "    out[PLACE] = ~(w | b)\n", "game-out", "def legal"),
    "no step": ("    out[PLACE] = empty\n", "    out[PLACE] = 0\n", "game-no-step", "def legal"),
    "unknown end": ("won(1 - side, LINE)", "won(side, FULL + 1)", "game-judgement", "def legal"),
    "no winner": ("won(1 - side, LINE)", "4 * LINE", "game-judgement", "def legal"),
    "play": ("        return w | 1 << cell, b, r ^ 1\n", "        return None\n", "game-answer",
             "def play"),
    "play below 0": ("        return w | 1 << cell, b, r ^ 1\n",
                     "        return w | 1 << cell, b, ~r\n", "game-words", "def play"),
    "too large": ("        return w | 1 << cell, b, r ^ 1\n",
                  "        return w | 1 << cell, b, (r ^ 1) << 63\n", "game-words", "def play"),
    "hidden": ("    return w, b | 1 << cell, r ^ 1\n",
               "    return w, b | 1 << cell, (r ^ 1) + 2\n", "game-fields", None),
    "one way up": ("    out[PLACE] = empty\n", "    out[PLACE] = empty if w else empty & 7\n",
                   "game-symmetry", "def board"),
    "unequal": ("    out[PLACE] = empty\n",
                "    out[PLACE] = empty if r & 1 == WHITE else empty & ~16\n",
                "game-swap", "COLOUR_SWAP"),
    "kind": ('Action("place", target=cell)', 'Action("hop", target=cell)', "game-action-kind",
             "def describe"),
    "no target": ('Action("place", target=cell)', 'Action("place")', "game-action-cells",
                  "def describe"),
    "no pawn": ('Action("place", target=cell)', 'Action("move", cell, cell)', "game-action-pawn",
                "def describe"),
    "takes": ('target=cell)', 'target=cell, takes=511)', "game-action-takes", "def describe"),
    "by": ('target=cell)', 'target=cell, by="far")', "game-action-by", "def describe"),
    "described": ('return Action("place", target=cell)', 'return "place", cell', "game-answer",
                  "def describe"),
    "alike": ('Action("place", target=cell)', 'Action("place", target=0)', "game-twice",
              "def describe"),
}  # fmt: skip  # compact list


@pytest.mark.parametrize("fault", BROKEN)
def test_contract_errors_name_the_line(fault: str, tmp_path: Path) -> None:
    old, new, key, line = BROKEN[fault]
    folder = written(tmp_path / "broken", changed(old, new))
    with pytest.raises(DamierError) as refused:
        from_path(folder)
    assert refused.value.key == key, refused.value
    english = str(refused.value)
    with i18n.use_language("fr"):
        assert str(refused.value) != english
    assert str(folder / "rules.py") in english
    if line is not None:
        found = re.search(r"rules\.py:(\d+)", english)
        assert found, english
        at = (folder / "rules.py").read_text("utf-8").splitlines()[int(found[1]) - 1]
        assert line in at, (line, at)
    assert "Traceback" not in english


def with_lines(*lines: str) -> str:
    """Return rules that work, with more lines after the imports."""
    return changed("import Buffer, kernel\n", "\n".join(("import Buffer, kernel", *lines, "")))


OPTIONS = "from damier.games.constants import choice, number"


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        (['OPTIONS = ("size",)'], "game-kind"),
        (['OPTIONS = (choice("one", 1, "a", "b"), choice("two", 1, "a", "b"))'], "game-bits"),
        (['OPTIONS = (choice("one", 0, "a", "b"),)'], "game-bits"),
        (['OPTIONS = (choice("one", 1, "a", "b"),)', "MIDTURN = 2"], "game-bits"),
        (['OPTIONS = (number("one", 60, 0, 7),)'], "game-bits"),
        (['OPTIONS = (number("one", 1, 9, 7),)'], "game-preset"),
        (
            ['OPTIONS = (choice("one", 1, "a", "b"),)', 'PRESETS = {"x": {"one": "c"}}'],
            "game-preset",
        ),
        (['PRESETS = {"x": {"two": "c"}}'], "game-preset"),
        (["PRESETS = {}"], "game-kind"),
        (['FIELDS = ("count",)'], "game-field-count"),
        (["MIDTURN = -2"], "game-midturn"),
    ],
)
def test_impossible_options_are_refused(lines: list[str], key: str, tmp_path: Path) -> None:
    with pytest.raises(DamierError) as refused:
        from_path(written(tmp_path / "broken", with_lines(OPTIONS, *lines)))
    assert refused.value.key == key, refused.value


def test_rules_must_keep_the_options_that_are_chosen(tmp_path: Path) -> None:
    text = with_lines(
        OPTIONS, 'OPTIONS = (choice("one", 1, "a", "b"),)', 'PRESETS = {"x": {"one": "b"}}'
    )
    old = "    return w, b | 1 << cell, r ^ 1\n"
    with pytest.raises(DamierError) as refused:
        from_path(
            written(tmp_path / "broken", text.replace(old, "    return w, b | 1 << cell, 0\n"))
        )
    assert refused.value.key == "game-options-changed"


def test_a_move_must_end(tmp_path: Path) -> None:
    text = with_lines("MIDTURN = 2").replace("r ^ 1\n", "r | 2\n")
    with pytest.raises(DamierError) as refused:
        from_path(written(tmp_path / "broken", text))
    assert refused.value.key == "game-final"
    text = text.replace("FINAL = 1 << PLACE", "FINAL = 0")
    with pytest.raises(DamierError) as refused:
        from_path(written(tmp_path / "broken", text))
    assert refused.value.key == "game-judged-midturn"


def test_missing_names_are_listed(tmp_path: Path) -> None:
    path = written(tmp_path / "broken", "NAME = 'empty'\n")
    with pytest.raises(DamierError) as refused:
        from_path(path)
    assert refused.value.details["names"] == ", ".join(REQUIRED[1:])


@pytest.mark.parametrize("name", ["nothing", "nothing.py", "empty"])
def test_a_folder_without_rules_is_not_a_game(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DamierError) as refused:
        load(tmp_path / name)
    assert refused.value.key == "game-path"


@pytest.mark.parametrize("name", ["texts.en.json", "texts.fr.json", "look.json", "weights.json"])
def test_invalid_json_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "broken", SOURCE)
    written(folder, '{\n "name": "X"\n "aim": "Y"\n}\n', name)
    with pytest.raises(DamierError, match=re.escape(f"{name}:3")) as refused:
        from_path(folder)
    assert refused.value.key == "game-json"
    written(folder, "[]", name)
    with pytest.raises(DamierError):
        from_path(folder)


@pytest.mark.skipif(not jit.enabled(), reason="nothing is compiled")
@pytest.mark.parametrize(
    ("old", "new", "key", "line"),
    [
        (
            "    side = r & 1\n",
            "    side = r & 1\n    mixed = (1, 2) if w else 3\n",
            "game-kernel",
            "mixed",
        ),
        (
            "    if not empty:\n",
            "    if not empty or ((w + 1) << 63) << 1 == 0:\n",
            "game-speeds",
            "def legal",
        ),
    ],
)
def test_unsupported_python_is_named(
    old: str, new: str, key: str, line: str, tmp_path: Path
) -> None:
    folder = from_path(written(tmp_path / "odd", changed(old, new)))
    with pytest.raises(DamierError) as refused:
        jit.link(folder.module)
    assert refused.value.key == key
    found = re.search(r"rules\.py:(\d+)", str(refused.value))
    assert found
    at = (tmp_path / "odd" / "rules.py").read_text("utf-8").splitlines()[int(found[1]) - 1]
    assert line in at, at
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(not jit.enabled(), reason="nothing is compiled")
def test_a_game_that_cannot_be_compiled_is_still_playable(tmp_path: Path) -> None:
    text = changed("    side = r & 1\n", "    side = r & 1\n    mixed = (1, 2) if w else 3\n")
    written(tmp_path, text, "odd.py")
    done = command("play", "odd.py", "--white", "level:3", "--black", "level:3", cwd=tmp_path)
    assert re.search("(wins|drawn): ", done.stdout)
    # Reported at the end if the compiler has reached it by then.
    assert re.fullmatch(r"(damier: .* legal cannot be compiled\. .*\n)?", done.stderr)
    done = command("warmup", "odd.py", cwd=tmp_path)
    assert done.returncode == 2
    line = text[: text.index("mixed")].count("\n") + 1
    assert re.fullmatch(rf"damier: \S*odd\.py:{line}: legal cannot be compiled\. .*\n", done.stderr)


@pytest.mark.skipif(not jit.enabled(), reason="nothing is compiled")
def test_an_evaluation_that_cannot_be_compiled_is_named_with_its_line(tmp_path: Path) -> None:
    source = """from damier.jit import Buffer, kernel


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    mixed = (1, 2) if w else 3
    return 1 if mixed else 0
"""
    folder = written(tmp_path / "odd", SOURCE)
    written(folder, source, "evaluation.py")
    done = command("warmup", "./odd", cwd=tmp_path)
    assert done.returncode == 2
    said = r"damier: \S*evaluation\.py:6: evaluation\.py cannot be compiled\. A name holds .*\n"
    assert re.fullmatch(said, done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    side = r & 1\n", "    side = r & 1\n    while side < 2:\n        side &= 1\n"),
        ("    return BOARD\n", "    while True:\n        r += 1\n"),
    ],
)
def test_endless_rules_are_refused_with_their_line(
    old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("damier.games.time_limits.TIMEOUT_S", 1.0)
    path = written(tmp_path / "endless", changed(old, new))
    with pytest.raises(DamierError) as refused:
        from_path(path)
    assert refused.value.key == "game-endless"
    found = re.search(r"rules\.py:(\d+)", str(refused.value))
    assert found
    lines = (path / "rules.py").read_text("utf-8").splitlines()
    assert re.search("while|[+&]=", lines[int(found[1]) - 1])


@pytest.mark.parametrize("name", GAMES)
def test_the_games_of_the_package_pass_the_dynamic_checks(name: str) -> None:
    trial = DynamicChecker(GAMES[name].module)
    trial.run()
    assert len(trial.seen) > 40


def test_the_dynamic_checks_call_every_function() -> None:
    from damier.games.return_checks import RETURN_CHECKS

    assert RETURN_CHECKS.keys() == FUNCTIONS


def test_a_name_can_be_registered_once(tmp_path: Path) -> None:
    one, other = (written(tmp_path / name, SOURCE) for name in ("one", "other"))
    assert load(one) is load(one / "rules.py") is GAMES["mygame"]
    with pytest.raises(DamierError) as refused:
        load(other)
    assert refused.value.key == "game-taken"
    first = next(iter(GAMES))
    with pytest.raises(DamierError) as refused:
        load(written(tmp_path / "third", changed('NAME = "mygame"', f'NAME = "{first}"')))
    assert refused.value.key == "game-taken"
    assert GAMES["mygame"].path == one


def test_a_folder_may_import_its_own_modules(tmp_path: Path) -> None:
    folder = written(tmp_path / "parts", changed("ROWS = BOARD.rows(3)", "from .rows import ROWS"))
    written(
        folder, "from damier.games.board import Board\n\nROWS = Board(3, 3).rows(3)\n", "rows.py"
    )
    load(folder)
    assert damier.load_rules("mygame").start().perft(2) == 72


def test_rules_are_loaded_in_another_process(tmp_path: Path) -> None:
    load(written(tmp_path / "far", changed('NAME = "mygame"', 'NAME = "far"')))
    pickled = pickle.dumps(damier.load_rules("far").start().play("b2"))
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer))"
    done = subprocess.run([sys.executable, "-c", code], input=pickled, capture_output=True)
    assert done.stdout.decode().split() == [".../.w./...", "b"], done.stderr


def installed(tmp_path: Path, value: str, name: str = "outside") -> dict[str, str]:
    """Return the environment in which a plug-in, put beside its entry point, is installed."""
    info = written(
        tmp_path / f"{name}-1.dist-info",
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n",
        "METADATA",
    )
    written(info, f"[damier.games]\n{name} = {value}\n", "entry_points.txt")
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "LANGUAGE": "en"}


def command(
    *words: str, env: dict[str, str] | None = None, cwd: Path | None = None, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "damier", *words],
        env=env,
        cwd=cwd,
        input=typed,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


@pytest.mark.parametrize("whole", [True, False], ids=["folder", "module"])
def test_a_plug_in_is_a_folder_or_a_module(whole: bool, tmp_path: Path) -> None:
    if whole:
        written(tmp_path / "folder", SOURCE)
    else:
        written(tmp_path, SOURCE, "folder.py")
    done = command("turns", "mygame", env=installed(tmp_path, "folder"))
    assert done.stdout.split() == ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]
    assert not done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("GROUPS = = 1", "not Python"),
        ("raise SystemExit", "could not be loaded"),
        ("import nothing_of_that_name", "nothing_of_that_name"),
        ("NAME = 'empty'", "GROUPS"),
        (None, "No module named 'folder'"),
    ],
)
def test_a_broken_plug_in_does_not_affect_others(
    text: str | None, said: str, tmp_path: Path
) -> None:
    if text is not None:
        written(tmp_path / "folder", text)
    written(tmp_path / "good", SOURCE)
    installed(tmp_path, "good", "good")
    env = installed(tmp_path, "folder")
    done = command("turns", "mygame", env=env)
    assert len(done.stdout.split()) == 9
    assert done.returncode == 0
    assert done.stderr.startswith("damier: outside: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    first = next(iter(GAMES))
    assert command("turns", first, env=env).returncode == 0
    asked = command("turns", "outside", env=env)
    assert asked.returncode == 2
    assert said in asked.stderr.splitlines()[-1]


def test_a_broken_plug_in_causes_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "folder", "NAME = 'empty'")
    installed(tmp_path, "folder")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(GAMES, "_plug_ins_loaded", False)
    with pytest.warns(RefusedGame, match="GROUPS"):
        names = list(GAMES)
    assert "outside" not in names
    monkeypatch.delitem(GAMES._broken, "outside")


def test_a_game_given_by_path_replaces_a_plug_in(tmp_path: Path) -> None:
    written(tmp_path / "folder", SOURCE)
    mine = written(tmp_path / "mine", changed("Board(3, 3)", "Board(4, 4)"))
    env = installed(tmp_path, "folder")
    assert len(command("turns", str(mine), env=env).stdout.split()) == 16
    assert len(command("turns", "mygame", env=env).stdout.split()) == 9


@pytest.mark.parametrize("word", ["./mygame", "mygame", "mygame/rules.py", "./one.py", "one.py"])
def test_a_game_is_named_by_its_path(word: str, tmp_path: Path) -> None:
    shutil.copytree(SKELETON, tmp_path / "mygame")
    written(tmp_path, SOURCE, "one.py")
    done = command("turns", word, cwd=tmp_path)
    assert len(done.stdout.split()) == 9, done.stderr
    assert command("perft", word, "2", cwd=tmp_path).stdout == "1 9\n2 72\n"
    assert ".../.../... w" in command("show", word, cwd=tmp_path).stdout


def test_commands_for_all_games_accept_more_games(tmp_path: Path) -> None:
    written(tmp_path, SOURCE, "one.py")
    asked = '{"game": "mygame", "turns": ["b2"]}\n'
    done = command("rules", "--game", "one.py", cwd=tmp_path, typed=asked)
    assert '"position": ".../.w./... b"' in done.stdout, done.stderr
    done = command("engine", "--game", "one.py", cwd=tmp_path, typed="uci\nquit\n")
    assert "game mygame presets default" in done.stdout.splitlines()


def test_a_record_of_a_custom_game_is_replayed(tmp_path: Path) -> None:
    written(tmp_path, SOURCE, "one.py")
    played = command(
        "play",
        "./one.py",
        "--two",
        cwd=tmp_path,
        typed="b2\na1\nc3\nb1\nc1\na3\nsave x.txt\nc2\n",
    )
    assert played.stdout.rstrip().endswith("White wins: all pawns in a line."), played.stderr
    written(
        tmp_path,
        '[Game "mygame"]\n[Result "1-0"]\n\n1. b2 2. a1 3. c3 4. b1 5. c1 6. a3\n7. c2\n',
        "record.txt",
    )
    done = command("replay", "record.txt", "--game", "./one.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "White wins" in done.stdout
    assert command("replay", "record.txt", cwd=tmp_path).returncode == 1
    written(tmp_path, "1. b2 2. a1\n", "bare.txt")
    done = command("replay", "bare.txt", "--game", "./one.py", cwd=tmp_path)
    assert done.stdout.rstrip().endswith(".../.w./b.. w")


def test_new_game_writes_a_game_that_works_at_once(tmp_path: Path) -> None:
    done = command("new-game", "hop", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("./hop is a new game.")
    files = sorted(path.name for path in (tmp_path / "hop").iterdir())
    assert files == ["rules.py", "texts.en.json", "texts.fr.json"]
    folder = from_path(tmp_path / "hop")
    assert folder.name == "hop"
    assert [folder.texts(language)["name"] for language in i18n.LANGUAGES] == ["Hop", "Hop"]
    ruff = Path(sys.executable).parent / "ruff"
    for check in (["check"], ["format", "--check"]):
        settings = Path(__file__).parents[2] / "pyproject.toml"
        subprocess.run(
            [ruff, *check, "--config", settings, tmp_path / "hop"], check=True, capture_output=True
        )
    done = command("play", "./hop", "--white", "random", "--black", "random", cwd=tmp_path)
    assert re.search(r"(wins|drawn): ", done.stdout), done.stderr


def test_new_game_overwrites_nothing(tmp_path: Path) -> None:
    written(tmp_path / "hop", "mine")
    done = command("new-game", "hop", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "damier: hop already exists; nothing was written.\n",
    )
    assert (tmp_path / "hop" / "rules.py").read_text() == "mine"
    assert command("new-game", next(iter(GAMES)), cwd=tmp_path).returncode == 2
    assert command("new-game", "../hop", cwd=tmp_path).returncode == 2
    done = command("new-game", "hop", "--directory", "deep/er", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "deep" / "er" / "hop" / "rules.py").exists()


def test_the_text_of_a_game_without_texts_is_plain(tmp_path: Path) -> None:
    text = with_lines(
        OPTIONS, 'OPTIONS = (choice("who_begins", 1, "white", "black"),)', "FIELDS = ()"
    )
    folder = load(written(tmp_path / "plain", text))
    for language in i18n.LANGUAGES:
        said = folder.texts(language)
        assert said["aim"] == "Mygame: be the first to have three pawns in a row."
        assert said["option.who_begins"] == "Who begins"
        assert said["option.who_begins.black"] == "Black"
    position = damier.load_rules("mygame").position("wbw/wbb/bww b")
    result = position.result()
    assert result is not None
    assert result.sentence() == "The game is drawn: full."


def test_a_board_has_neighbours_and_rows() -> None:
    squares, lined, plain = Board(3, 3), Board.lined(3, 3), Board.lined(3, 3, diagonals=False)
    for board, corner, middle, rows in ((squares, 2, 4, 8), (lined, 3, 8, 8), (plain, 2, 4, 6)):
        assert [near.bit_count() for near in board.near][::4] == [corner, middle, corner]
        assert len(board.rows(3)) == rows
    assert [near.bit_count() for near in lined.near][1::2] == [3, 3, 3, 3]
    holed = Board(3, 3, cells=0b111101111)
    assert holed.near[1] == 0b101
    assert holed.near[4] == 0
    assert len(holed.rows(3)) == 4
    assert sorted(squares.names[i] for i in range(9) if squares.near[4] >> i & 1) == [
        "a2",
        "b1",
        "b3",
        "c2",
    ]


def test_symmetries_keep_the_board() -> None:
    assert len(Board(3, 3).symmetries) == len(Board.lined(3, 3).symmetries) == 8
    assert len(Board(3, 4).symmetries) == 4
    assert len(Board(3, 3, symmetry=("left-right",)).symmetries) == 2
    assert len(Board.lined(4, 4).symmetries) == 4  # the diagonals go one way only
    assert len(Board(3, 3, cells=0b111111110).symmetries) == 2
    assert len(Board(3, 3, symmetry="none").symmetries) == 1
    assert len(Board(3, 3, symmetry=("quarter-turn",)).symmetries) == 4
    assert len(Board(3, 3, symmetry=("diagonal", "left-right")).symmetries) == 8
    assert len(Board(3, 4, symmetry=("diagonal", "left-right")).symmetries) == 2
    with pytest.raises(DamierError, match="sideways"):
        Board(3, 3, symmetry=("sideways",))
    with pytest.deprecated_call():
        assert len(Board(3, 3, oriented=True).symmetries) == 2


@pytest.mark.parametrize(
    ("new", "advice"),
    [
        ("empty if w else empty & 7", '("left-right",)'),
        ("empty if w else empty & 0b100_010_001", '("half-turn", "diagonal")'),
        ("empty if w else empty & 0b001_011_111", '("diagonal",)'),
        ("empty if w else empty & 3", '"none"'),
    ],
)
def test_the_symmetries_that_rules_preserve_are_suggested(
    new: str, advice: str, tmp_path: Path
) -> None:
    text = changed("    out[PLACE] = empty\n", f"    out[PLACE] = {new}\n")
    text = text.replace("COLOUR_SWAP = True", "COLOUR_SWAP = False")
    with pytest.raises(DamierError, match=re.escape(f"symmetry={advice})")):
        from_path(written(tmp_path / "broken", text))
    declared = text.replace("Board(3, 3)", f"Board(3, 3, symmetry={advice})")
    assert from_path(written(tmp_path / "mended", declared)).name == "mygame"
