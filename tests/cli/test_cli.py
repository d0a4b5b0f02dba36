"""The command line: every command, its errors, both languages."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import damier
from damier import Game, record
from damier.cli import COMMANDS, main
from damier.cli.rules import answer_line
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


def shell(
    *words: str, text: str = "", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "damier", *words],
        input=text,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **(environment or {})},
    )


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, run: Run) -> Run:
    """Run a command in this process with lines typed: the last argument."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(words[-1]))
        return run(*words[:-1])

    return call


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
    assert str(damier.load_rules("fraha").start()) in out
    won = "wwww./.b.b./...../.b.b./..... b"
    assert "White wins" in run("show", "fraha", "--position", won)[1]
    assert "Les Blancs gagnent" in run("show", "fraha", "-p", won, "--lang", "fr")[1]
    assert run("show", "fanorona", "--svg")[1].startswith("<svg")


def test_moves(run: Run) -> None:
    assert run("moves", "fanorona")[1].split() == ["d2-e3A", "d3-e3A", "d3-e3W", "e2-e3A", "f2-e3A"]
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
        (("perft", "chefa", "x"), "not a depth"),
        (("replay", os.devnull, "--at", "x"), "not a move number"),
        (("replay", "/nowhere"), "nowhere"),
        (("dance",), "dance"),
        (("play", "chefa", "--white", "nobody"), "no player"),
        (("play", "--resume"), "No game"),
        (("play", "--resume", os.devnull), "not contain a game that can be resumed"),
        (("replay", "."), ".: this is a folder, not a file"),
        (("--lang", "fr", "dance"), "« dance » n’est pas parmi"),
        (("--lang", "fr", "show"), "il manque : JEU"),
        (("--lang", "fr", "show", "chefa", "--x"), "ceci n’est pas compris : --x"),
        (("--lang", "fr", "arena", "chefa", "random", "--games", "x"), "« x » n’est pas un nombre"),
        (("--lang", "fr", "arena", "chefa", "random", "--sprt", "1"), "il faut 2 valeurs"),
        (("--lang", "fr", "replay", "/nowhere"), "/nowhere: ce fichier ou ce dossier n’existe pas"),
    ],
)
def test_refusals_are_one_clear_line(run: Run, words: tuple[str, ...], message: str) -> None:
    status, _, err = run(*words)
    assert status in (1, 2)
    assert message in err.replace("\N{NO-BREAK SPACE}", " ")
    assert "Traceback" not in err


def test_replay(run: Run, tmp_path: Path) -> None:
    game = Game(damier.load_rules("chefa")).play("a1", "a2", "b1", "b2", "c1", "c2", "d1")
    path = tmp_path / "games.txt"
    path.write_text(record.write([Record(game), Record(game.back(2))]), "utf-8")
    status, out, _ = run("replay", str(path))
    assert status == 0
    assert "White wins" in out
    assert str(game.position) in out
    out = run("replay", str(path), "--boards", "--at", "3")[1]
    assert out.count(str(game.at(3).position)) == 2
    out = run("replay", str(path), "--at", "6")[1]
    assert str(game.at(6).position) in out
    assert str(game.at(5).position) in out  # where the shorter game ends
    path.write_text(path.read_text("utf-8") + '\n[Game "chess"]\n\n1. e4\n', "utf-8")
    status, out, err = run("replay", str(path))
    assert status == 1
    assert "White wins" in out
    assert "games.txt, line" in err
    path.write_bytes(b"\xff\xfe\x00")
    assert run("replay", str(path))[0] == 2


def test_replay_of_moves_alone(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "turns.txt"
    path.write_text("b2 d4", "utf-8")
    status, out, _ = run("replay", str(path), "--game", "chefa", "--option", "first_mover=last")
    assert status == 0
    assert "first_mover=last" in out


def test_a_review_says_where_a_game_went_wrong(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "turns.txt"
    path.write_text("b2 c2 a2 a1", "utf-8")
    arguments = ("replay", str(path), "--game", "chefa", "--preset", "fair", "--review")
    status, out, _ = run(*arguments)
    assert status == 0
    assert (
        "3. White, a2: a missed chance (still a draw, but easier for the opponent). Better: b1"
        in out
    )
    assert "No mistake was found." not in out
    out = run(*arguments, "--at", "2")[1]
    assert out.endswith("No mistake was found.\n\n")


def test_questions_are_answered_in_order() -> None:
    lines = [
        '{"game": "fanorona", "options": {"capture": "forced"}}',
        "junk",
        '{"game": "chefa", "turns": ["a1", "a2", "b1", "b2", "c1", "c2", "d1"]}',
        '{"game": "seega", "options": {"stall": 0}, "position": "x"}',
        '{"game": "badia", "position": "w.b../.###./b#w#w/.###./.bwbw b e3 - D"}',
        '{"game": "chefa", "turns": ["c3"]}',
        '{"game": "\\ud800"}',
        "",
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
    assert [set(answers[k]) for k in (1, 3, 5, 6, 7)] == [{"error"}] * 5


def test_answers_do_not_depend_on_earlier_questions() -> None:
    """A game that goes on from the last question's is not played again from its start."""
    there_and_back = ["a1-b1", "e5-d5", "b1-a1", "d5-e5"] * 2
    position = "....b/.b.../...../...w./w.... w 0 0 - 0"
    questions: list[dict[str, object]] = [
        {"game": "seega", "position": position, "turns": there_and_back[:n]}
        for n in (3, 8, 7, 9, 0, 8)
    ]
    questions += [
        {"game": "seega", "position": position, "turns": [*there_and_back[:2], "b1-c1"]},
        {"game": "seega", "position": position, "turns": there_and_back, "options": {"stall": 5}},
        {"game": "seega", "position": position, "turns": there_and_back},
        {"game": "seega", "turns": there_and_back},
    ]
    last: list[Game] = []
    lines = [json.dumps(question) for question in questions]
    answers = [answer_line(line, last) for line in lines]
    assert answers == [answer_line(line, []) for line in lines]
    assert [answer.get("result") for answer in answers[:2]] == [None, [None, "repetition"]]


def test_a_game_is_played_saved_kept_and_resumed(typed: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    commands = ["help", "moves", "zz", "undo", "a1", " A 2", "undo", "B2", f"save {path}", "quit"]
    status, out, err = typed("play", "chefa", "--two", "\n".join(commands))
    assert (status, err) == (0, "")
    assert "not a valid move" in out
    assert "no move of yours to take back" in out
    (saved,), problems = record.read(path.read_text("utf-8"))
    assert not problems
    assert saved.game.text == "a1 b2"
    assert "White wins: the opponent resigned." in typed("play", "--resume", "c1\nresign\n")[1]
    # A game that was given up is over.
    assert "White wins: the opponent resigned." in typed("play", "--resume", "d1\n")[1]
    out = typed("play", "--resume", str(path), "--lang", "fr", "annuler\nquitter\n")[1]
    assert "Blancs" in out
    # What was taken back is so when the game is resumed.
    assert "White 1, Black 0" in typed("play", "--resume", "quit")[1].replace("   ◆", ",")


def test_a_game_is_appended_to_any_file(typed: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_bytes(b"\xff")
    commands = ["a1", f"save {path}", f"save {path}", f"save {tmp_path}", "save"]
    out = typed("play", "chefa", "--two", "\n".join(commands))[1]
    assert "this is a folder" in out
    assert "save FILE" in out
    text = path.read_bytes().decode("latin-1")
    records, problems = record.read(text)
    assert [one.game.text for one in records] == ["a1"] * 2
    assert [problem.line for problem in problems] == [1]


def test_a_record_names_players_but_no_command_lines(typed: Run, tmp_path: Path) -> None:
    path, trace = tmp_path / "games.txt", tmp_path / "trace"
    game = Game(damier.load_rules("chefa")).play("a1")
    for black in ("Blaise", f"cmd:touch {trace}"):
        path.write_text(str(Record(game, "Ada", black)), "utf-8")
        status, out, _ = typed("play", "--resume", str(path), "b2\nquit\n")
        assert status == 0
        assert f"White: Ada. Black: {black}." in out
        assert "White > " in out
        assert not trace.exists()
    path.write_text(str(Record(game, "Ada", "random")), "utf-8")
    assert "Black plays" in typed("play", "--resume", str(path), "quit\n")[1]


def test_standard_input_is_empty(typed: Run) -> None:
    status, out, err = typed("play", "zz\n")
    assert status == 1
    assert "There is no game called “zz”" in out
    assert not err.strip()


def test_closed_streams_and_streams_without_unicode() -> None:
    done = shell("show", "chefa", environment={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert "| O |" not in done.stdout
    assert "+---+" in done.stdout
    command = f"{sys.executable} -m damier rules <&- >&- 2>&-"
    assert subprocess.run(command, shell=True).returncode == 0


def test_the_computer_plays_to_the_end(run: Run) -> None:
    words = ("play", "fraha", "--white", "random", "--black", "random", "--seed", "1")
    status, out, _ = run(*words)
    assert status == 0
    assert "wins:" in out or "drawn:" in out
    assert run(*words)[1] == out


def test_undo_goes_back_to_the_person_s_own_move(typed: Run) -> None:
    out = typed("play", "chefa", "--black", "random", "--seed", "1", "a1\nundo\nquit\n")[1]
    assert out.count("In hand: White 4, Black 4") == 2


def test_the_game_can_be_chosen_from_a_list(typed: Run) -> None:
    status, out, _ = typed("play", "--two", "9\n3\nquit\n")
    assert status == 0
    assert "White 4, Black 4" in out


def test_warming_up_without_a_compiler_does_nothing() -> None:
    done = shell("warmup", "chefa", "--lang", "en", environment={"NUMBA_DISABLE_JIT": "1"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("chefa is ready")


def test_a_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    game = Game(damier.load_rules("chefa")).play("a1", "a2", "b1", "b2", "c1", "c2", "d1")
    path = tmp_path / "games.txt"
    path.write_text(record.write([Record(game)] * 200), "utf-8")  # more than a pipe holds
    words = [sys.executable, "-m", "damier", "replay", str(path)]
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
        "import damier; damier.Game(damier.load_rules('fanorona')).play('d3-e3A').legal_moves()",
    ],
)
def test_nothing_waits_for_the_compiler(code: str) -> None:
    check = "; import sys; assert not {'numba', 'numpy'} & set(sys.modules), 'numba'"
    wrapped = f"try:\n exec({code!r})\nexcept SystemExit: pass\n{check[2:]}"
    done = subprocess.run([sys.executable, "-c", wrapped], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def test_end_of_input_is_raised_by_prompts_only(
    typed: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = typed("play", "")
    assert (status, err) == (1, "\n")

    def cut(args: object) -> int:
        raise EOFError("Ran out of input")

    monkeypatch.setattr("damier.cli.show.run", cut)
    with pytest.raises(EOFError, match="Ran out"):
        main(["show", "chefa"])
