"""The command line: every command, its refusals, both languages."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import damier
from damier import Game, record
from damier.cli import COMMANDS, main
from damier.record import Record

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process; return its status, output and errors."""

    def call(*words: str) -> tuple[int, str, str]:
        try:
            status = main(words)
        except SystemExit as stop:
            status = int(stop.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return call


def shell(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "damier", *words], input=text, capture_output=True, encoding="utf-8"
    )


def test_help_names_every_command_in_both_languages(run: Run) -> None:
    for words, usage in (
        (["--help"], "usage:"),
        (["--help", "--lang", "fr"], "utilisation\N{NO-BREAK SPACE}:"),
    ):
        status, out, _ = run(*words)
        assert status == 0
        assert usage in out
        assert all(command in out for command in COMMANDS)
    assert run()[0] == 0
    assert run("--version")[1].strip() == damier.__version__


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(run: Run, command: str) -> None:
    for language in ("en", "fr"):
        status, out, err = run(command, "--help", "--lang", language)
        assert status == 0
        assert f"damier {command}" in out
        assert not err


def test_show(run: Run) -> None:
    status, out, _ = run("show", "fraha")
    assert status == 0
    assert str(damier.game("fraha").start()) in out
    won = "wwww./.b.b./...../.b.b./..... b"
    assert "White wins" in run("show", "fraha", "--position", won)[1]
    assert "Les Blancs gagnent" in run("show", "fraha", "-p", won, "--lang", "fr")[1]
    assert run("show", "fanorona", "--svg")[1].startswith("<svg")


def test_turns(run: Run) -> None:
    assert run("turns", "fanorona")[1].split() == ["d2-e3A", "d3-e3A", "d3-e3W", "e2-e3A", "f2-e3A"]
    out = run("turns", "seega", "--option", "size=7")[1].split()
    assert len(out) == 48 * 47 // 2
    assert len(run("turns", "chefa", "--preset", "fair")[1].split()) == 24


def test_perft(run: Run) -> None:
    status, out, _ = run("perft", "fanorona", "3", "--preset", "international")
    assert status == 0
    assert out.split() == ["1", "5", "2", "39", "3", "724"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "chess"), "no game called"),
        (("show", "chefa", "--option", "line"), "name=value"),
        (("show", "chefa", "--option", "line=x"), "cannot be"),
        (("show", "chefa", "--preset", "x"), "no preset"),
        (("show", "chefa", "--position", "x"), "parts"),
        (("perft", "chefa", "-1"), "damier:"),
        (("perft", "chefa", "x"), "no depth"),
        (("replay", "/nowhere"), "nowhere"),
        (("dance",), "dance"),
        (("play", "chefa", "--white", "nobody"), "no player"),
        (("play", "--resume"), "No game"),
    ],
)
def test_refusals_are_one_clear_line(run: Run, words: tuple[str, ...], message: str) -> None:
    status, _, err = run(*words)
    assert status in (1, 2)
    assert message in err
    assert "Traceback" not in err


def test_replay(run: Run, tmp_path: Path) -> None:
    game = Game(damier.game("chefa")).play("a1", "a2", "b1", "b2", "c1", "c2", "d1")
    path = tmp_path / "games.txt"
    path.write_text(record.write([Record(game), Record(game.back(2))]), "utf-8")
    status, out, _ = run("replay", str(path))
    assert status == 0
    assert "White wins" in out
    assert str(game.position) in out
    out = run("replay", str(path), "--boards", "--at", "3")[1]
    assert out.count(str(game.at(3).position)) == 2
    path.write_text(path.read_text("utf-8") + '\n[Game "chess"]\n\n1. e4\n', "utf-8")
    status, out, err = run("replay", str(path))
    assert status == 1
    assert "White wins" in out
    assert "games.txt, line" in err
    path.write_bytes(b"\xff\xfe\x00")
    assert run("replay", str(path))[0] == 2


def test_replay_of_turns_alone(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "turns.txt"
    path.write_text("b2 d4", "utf-8")
    status, out, _ = run("replay", str(path), "--game", "chefa", "--option", "first_mover=last")
    assert status == 0
    assert "first_mover=last" in out


def test_questions_are_answered_in_order() -> None:
    lines = [
        '{"game": "fanorona", "options": {"capture": "forced"}}',
        "junk",
        '{"game": "chefa", "turns": ["a1", "a2", "b1", "b2", "c1", "c2", "d1"]}',
        '{"game": "seega", "options": {"stall": 0}, "position": "x"}',
        '{"game": "badia", "position": "w.b../.###./b#w#w/.###./.bwbw b e3 - D"}',
        '{"game": "chefa", "turns": ["c3"]}',
    ]
    done = shell("rules", text="\n".join(lines) + "\n")
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines)
    assert answers[0]["turns"] == ["d2-e3A", "d3-e3A", "d3-e3W", "e2-e3A", "f2-e3A"]
    assert (answers[0]["children"], answers[0]["result"]) == (5, None)
    assert answers[2]["result"] == ["w", "line"]
    assert (answers[2]["turns"], answers[2]["children"]) == ([], 0)
    assert answers[4]["children"] == 8
    assert [set(answers[k]) for k in (1, 3, 5)] == [{"error"}] * 3


def test_a_game_is_played_saved_kept_and_resumed(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    commands = ["help", "turns", "zz", "a1", "a2", "undo", "b2", f"save {path}", "quit"]
    done = shell("play", "chefa", "--two", "--lang", "en", text="\n".join(commands) + "\n")
    assert done.returncode == 0, done.stderr
    assert "not how a turn is written" in done.stdout
    (saved,), problems = record.read(path.read_text("utf-8"))
    assert not problems
    assert saved.game.text == "a1 b2"
    again = shell("play", "--resume", "--lang", "en", text="c1\nresign\n")
    assert again.returncode == 0, again.stderr
    assert "White wins: the opponent resigned." in again.stdout
    french = shell("play", "--resume", str(path), "--lang", "fr", text="annuler\nquitter\n")
    assert french.returncode == 0, french.stderr
    assert "Blancs" in french.stdout


def test_the_computer_plays_to_the_end() -> None:
    words = ("play", "fraha", "--white", "random", "--black", "random", "--seed", "1")
    done = shell(*words, "--lang", "en")
    assert done.returncode == 0, done.stderr
    assert "wins:" in done.stdout or "drawn:" in done.stdout
    assert shell(*words, "--lang", "en").stdout == done.stdout


def test_undo_goes_back_to_the_person_s_own_turn() -> None:
    done = shell("play", "chefa", "--seed", "1", "--lang", "en", text="a1\nundo\nquit\n")
    assert done.stdout.count("In hand: White 4, Black 4") == 2


def test_the_game_can_be_chosen_from_a_list() -> None:
    done = shell("play", "--two", "--lang", "en", text="9\n2\nquit\n")
    assert done.returncode == 0, done.stderr
    assert "White 4, Black 4" in done.stdout


def test_a_reader_that_goes_away_is_no_error() -> None:
    words = [sys.executable, "-m", "damier", "turns", "seega", "-o", "size=7"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.parametrize(
    "code",
    [
        "import damier",
        "from damier.cli import main; main(['--help'])",
        "from damier.cli import main; main(['turns', 'seega'])",
        "import damier; damier.Game(damier.game('fanorona')).play('d3-e3A').turns()",
    ],
)
def test_nothing_waits_for_the_compiler(code: str) -> None:
    check = "; import sys; assert not {'numba', 'numpy'} & set(sys.modules), 'numba'"
    wrapped = f"try:\n exec({code!r})\nexcept SystemExit: pass\n{check[2:]}"
    done = subprocess.run([sys.executable, "-c", wrapped], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
