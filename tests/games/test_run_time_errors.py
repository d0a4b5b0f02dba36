"""Errors in a custom game's own code while it is used, and `damier check`."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import BinaryIO, cast
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from damier import DamierError, i18n, jit
from damier.cli import main, new_game
from damier.games import load
from damier.games.run_time_errors import located_errors
from damier.rulebook import read
from damier.web.endpoints import answer
from damier.web.worker_process import frame, read_frame

SOURCE = (Path(new_game.__file__).parent / "skeleton" / "rules.py").read_text("utf-8")
# Fails in a position that random games hardly ever reach.
FAILING = SOURCE.replace(
    '    return Action("place", target=cell)',
    "    if w == 0b101000101 and b == 0b010000010:\n"
    '        raise LookupError("forgotten")\n'
    '    return Action("place", target=cell)',
)
MOVES = ["a1", "b1", "c1", "b3", "a3", "b2", "c3"]
POSITION = "wbw/.../wbw b"


def rules_of(folder: Path) -> str:
    """Return the name of the game in a folder, another in each test: rules are cached by name."""
    return f"mine_{folder.parent.name}".lower()


def write_rules(folder: Path, text: str) -> None:
    text = text.replace('NAME = "mygame"', f'NAME = "{rules_of(folder)}"')
    (folder / "rules.py").write_text(text, "utf-8")


@pytest.fixture
def folder(tmp_path: Path, own_registry: None) -> Path:
    """Return a game that fails in one position."""
    path = tmp_path / "mine"
    path.mkdir()
    write_rules(path, FAILING)
    return path


def line_of(folder: Path) -> int:
    text = (folder / "rules.py").read_text("utf-8")
    return text[: text.index("raise LookupError")].count("\n") + 1


def expected(folder: Path) -> str:
    return (
        f"mine/rules.py:{line_of(folder)}: describe(325, 130, 1, 3) fails. LookupError: forgotten."
    )


def test_the_terminal_names_the_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--lang", "en", "moves", str(folder), "--position", POSITION]) == 2
    assert capsys.readouterr().err == f"damier: {expected(folder)}\n"
    assert main(["--lang", "fr", "moves", str(folder), "--position", POSITION]) == 2
    assert f"mine/rules.py:{line_of(folder)}\u00a0: describe" in capsys.readouterr().err
    i18n.set_language(None)


def test_http_says_the_same(folder: Path) -> None:
    load(folder)
    body: dict[str, object] = {
        "game": rules_of(folder),
        "start": POSITION,
        "turns": [],
        "begun": [],
        "options": {},
        "preset": None,
    }
    status, text = answer("state", body, "en", None)
    found = json.loads(text)["error"]
    assert (status, found["key"]) == (500, "game-raised")
    assert found["message"] == expected(folder)


def test_a_server_says_the_same(folder: Path) -> None:
    words = [sys.executable, "-m", "damier", "--lang", "en", "web", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        [*words, "--game", str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        server = next(w for w in process.stdout.readline().split() if w.startswith("http"))
        body = json.dumps({"game": rules_of(folder), "start": POSITION}).encode()
        request = Request(f"{server}api/v1/state", body, {"Content-Type": "application/json"})
        try:
            with pytest.raises(HTTPError) as refused:
                urlopen(request, timeout=60)
            found = json.load(refused.value)["error"]
        finally:
            process.terminate()
    assert found["message"] == expected(folder)


def test_errors_elsewhere_are_not_blamed_on_a_game(folder: Path) -> None:
    load(folder)
    with pytest.raises(ZeroDivisionError), located_errors():
        print(1 // 0)


PAGE = """# Mine

Three in a row.

## The aim

```position
.../.../... w
caption: The empty board.
legal: a9
```
"""


def test_a_page_is_reported_with_its_line(folder: Path) -> None:
    (folder / "page.en.md").write_text(PAGE, "utf-8")
    load(folder)
    with pytest.raises(DamierError) as refused:
        read(rules_of(folder), "en")
    assert str(refused.value) == "mine/page.en.md:11: a9 is not legal in .../.../... w."
    status, text = answer("rules", {"name": rules_of(folder)}, "en", None)
    assert status == 500
    assert json.loads(text)["error"]["message"] == str(refused.value)


def test_check_lists_what_a_game_defines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_rules(folder, SOURCE)
    assert main(["--lang", "en", "check", str(folder)]) == 0
    printed = capsys.readouterr().out
    defined, defaulted = (
        next(line for line in printed.splitlines() if line.startswith(start))
        for start in ("Defined: ", "By default: ")
    )
    assert "COLOUR_SWAP, FINAL, GROUPS, NAME, " in defined
    assert "MIDTURN" in defaulted
    assert "PRESETS" in defaulted
    assert "levels.py" in defaulted
    assert "- page.en.md\n" in printed
    assert "- CAPTURES" not in printed
    assert printed.endswith("All checks passed.\n")
    i18n.set_language(None)


def test_check_recommends_and_reports(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = SOURCE.replace("COLOUR_SWAP = True", "COLOUR_SWAP = False")
    text = text.replace("FINAL = 1 << PLACE", "FINAL = 0")
    write_rules(folder, text)
    (folder / "page.en.md").write_text(PAGE, "utf-8")
    (folder / "lessons.json").write_text('{"steps": [{"kye": "x"}]}', "utf-8")
    (folder / "lessons.en.json").write_text('{"x.title": "X"}', "utf-8")
    assert main(["--lang", "en", "check", str(folder)]) == 1
    printed = capsys.readouterr().out
    assert "damier: mine/page.en.md:11: a9 is not legal" in printed
    assert "lessons.json" in printed.split("Defined")[0]
    assert "- COLOUR_SWAP = True" in printed
    assert "- FINAL = 0b1: " in printed
    assert printed.endswith("see the messages above.\n")
    i18n.set_language(None)


def test_code_that_exits_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_rules(folder, FAILING.replace('raise LookupError("forgotten")', "raise SystemExit(0)"))
    assert main(["--lang", "en", "moves", str(folder), "--position", POSITION]) == 2
    assert "describe(325, 130, 1, 3) fails. SystemExit: 0." in capsys.readouterr().err
    i18n.set_language(None)


def test_a_text_that_names_other_details_is_shown_as_it_is(folder: Path) -> None:
    (folder / "texts.en.json").write_text('{"why.far": "{cell} is {wide}."}', "utf-8")
    name = load(folder).name
    with i18n.use_language("en"):
        assert i18n.translate_for_game(name, "why.far", cell="a1") == "{cell} is {wide}."


EVALUATION = """from damier.jit import kernel


@kernel
def evaluate(w, b, r, weights):
    mixed = (1, 2) if w else 3
    return 0
"""


def test_check_tries_the_other_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_rules(folder, SOURCE)
    look = '{\n "miniature": ["a1", "a1"],\n "aim": {"start": "w../... w"}\n}'
    (folder / "look.json").write_text(look, "utf-8")
    (folder / "puzzles.jsonl").write_text("{}\n", "utf-8")
    (folder / "evaluation.py").write_text(EVALUATION, "utf-8")
    assert main(["--lang", "en", "check", str(folder)]) == 1
    printed = capsys.readouterr().out
    assert "look.json:2: the moves or the position of “miniature” do not fit" in printed
    assert "puzzles.jsonl:1 is not a file of puzzles" in printed
    if jit.enabled():
        assert "evaluation.py:6: evaluation.py cannot be compiled. A name holds values" in printed
    assert printed.endswith("see the messages above.\n")
    i18n.set_language(None)


def test_check_recommends_texts_and_bits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    added = """

from damier.games.steps import Note


def promoted(w, b, r):
    return 0


def notes(w, b, r):
    return [Note("last", {"count": 3})]
"""
    write_rules(folder, SOURCE + added)
    (folder / "texts.en.json").write_text('{"name": "Mine"}', "utf-8")
    assert main(["--lang", "en", "check", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "- texts.en.json: a text for “note.last”\n" in printed
    assert "- REPETITION_BITS: " in printed
    i18n.set_language(None)


def test_a_worker_names_the_line_that_never_ends(folder: Path) -> None:
    text = FAILING.replace('raise LookupError("forgotten")', "while True:\n            w += 1")
    write_rules(folder, text)
    body = {"game": rules_of(folder), "start": POSITION, "turns": [], "begun": []}
    request = {"id": 1, "name": "state", "language": "en"}
    request["body"] = {**body, "options": {}, "preset": None}
    words = [sys.executable, "-m", "damier.web.worker_process", str(folder)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        answers = cast(BinaryIO, process.stdout)
        stop = frame(json.dumps({"stop": 1}).encode())
        process.stdin.write(frame(json.dumps(request).encode()))
        with ThreadPoolExecutor(1) as reader:
            answered = reader.submit(read_frame, answers)
            while not answered.done():  # a request that has not begun is not interrupted
                process.stdin.write(stop)
                process.stdin.flush()
                wait([answered], timeout=5)
            head = json.loads(answered.result() or b"{}")
        message = json.loads(read_frame(answers) or b"{}")["error"]["message"]
        process.kill()
    assert head["status"] == 500
    lines = (folder / "rules.py").read_text("utf-8").splitlines()
    found = re.match(r"mine/rules\.py:(\d+): describe has not ended within \d+ s: .*\.$", message)
    assert found, message
    assert lines[int(found[1]) - 1].strip() in ("while True:", "w += 1")
