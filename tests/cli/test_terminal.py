"""Output of commands: control characters, interrupts, closed pipes and full disks."""

import errno
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import damier
from damier import files, record
from damier.cli import main, replay
from damier.cli.play import TerminalGame
from damier.cli.terminal import SafeStream, escape_controls, print_raw
from damier.errors import describe_os_error
from damier.gameplay import Game
from damier.jit import code_cache, native
from damier.record import ParseProblem, Record

HOSTILE = "\x1b]0;title\x07\x1b[2J\x9b31mEve\u202e\x7f"


def without_controls(text: str) -> bool:
    """Return whether a text can be printed as it is."""
    return escape_controls(text) == text


def test_control_characters_are_shown_as_codes() -> None:
    assert escape_controls("a\tb\n\x1b[0m\x9b\r") == "a\tb\n\\u001b[0m\\u009b\\u000d"
    assert without_controls("Éva – ○ ◆ 名")
    text = json.dumps({"name": HOSTILE}, ensure_ascii=False)
    assert json.loads(escape_controls(text)) == {"name": HOSTILE}


@pytest.mark.parametrize("command", ["replay", "show", "moves", "lessons"])
def test_no_command_prints_control_characters_of_others(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.txt"
    game = Game(damier.load_rules("chefa")).play("a1")
    good = str(Record(game)).replace('[White "?"]', f'[White "{HOSTILE}"]')
    path.write_text(f'{good}\n[Game "{HOSTILE}"]\n', "utf-8")
    main([command, str(path) if command == "replay" else HOSTILE])
    printed = "".join(capsys.readouterr())
    assert "\\u001b" in printed
    assert without_controls(printed)


@pytest.mark.slow
def test_what_a_program_says_is_printed_without_control_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"print('uciok'); print('error ' + {HOSTILE!r}); input(); input()")
    words = ["arena", "chefa", "random", f"cmd:{sys.executable} {program}", "-n", "2"]
    assert main([*words, "--workers", "1", "--opening", "0"]) == 0
    out, err = capsys.readouterr()
    assert "\\u001b" in err
    assert without_controls(out + err)


def test_only_damiers_own_sequences_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    stream = SafeStream(sys.stdout)
    print("\x1b[31m", file=stream)
    print_raw("\x1b[0m", stream, end="")  # type: ignore[arg-type]
    assert capsys.readouterr().out == "\\u001b[31m\n\x1b[0m"


@pytest.mark.parametrize("possible", [True, False])
def test_a_game_is_called_kept_only_if_it_was(
    possible: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write_text(path: Path, text: str) -> None:
        if not possible:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(files, "write_text", write_text)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    TerminalGame(Record(Game(damier.load_rules("chefa"))), {}).play()
    out, err = capsys.readouterr()
    assert ("--resume" in out) == possible
    assert bool(err) != possible


def test_games_are_printed_as_they_are_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = str(Record(Game(damier.load_rules("chefa")).play("a1"), white="number {}"))
    printed = []

    def lines(path: str) -> Iterator[str]:
        for number in range(300):
            yield from text.replace("{}", str(number)).splitlines()
            printed.append(capsys.readouterr().out)

    monkeypatch.setattr(replay, "read_lines", lines)
    assert main(["replay", "-"]) == 0
    assert all(f"number {k}" in printed[k + 1] for k in range(299))


def test_records_are_read_one_by_one() -> None:
    item = Record(Game(damier.load_rules("chefa")).play("a1"))
    text = record.write([item] * 3) + '\n[Game "z"]'
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        for line in text.splitlines():
            read += 1
            yield line

    found = record.read_each(lines())
    assert isinstance(next(found), Record)
    assert read < len(text.splitlines()) / 2
    assert [type(item) for item in found] == [Record, Record, ParseProblem]


def test_positions_of_standard_input_are_probed_line_by_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = damier.load_rules("badia").start()
    after = start.play(start.legal_moves()[0].text)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{start}\n\nzz\n {after} \n"))
    assert main(["probe", "badia", "--stdin"]) == 1
    first, wrong, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert set(wrong) == {"position", "error"}
    assert (first["position"], last["position"]) == (str(start), str(after))
    for position, answer in ((start, first), (after, last)):
        assert main(["probe", "badia", "--json", "--position", str(position)]) == 0
        assert answer == json.loads(capsys.readouterr().out)
        assert answer["turns"]


def test_a_full_disk_of_the_cache_is_reported_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    error = OSError(errno.ENOSPC, "No space left on device", "kernel.code", None, "kernel")
    monkeypatch.setattr(code_cache, "write_errors", [error])
    assert native.cache_error() == describe_os_error(error)
    assert "Errno" not in native.cache_error()


def command(code: str, **streams: int) -> "subprocess.CompletedProcess[bytes]":
    """Run Python code in a process; streams that are not given are pipes."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run([sys.executable, "-c", code], timeout=300, **pipes)  # type: ignore[call-overload,no-any-return]


INTERRUPTED_IMPORT = """
import sys, damier_command
class Finder:
    def find_spec(self, name, path, target=None):
        if name == {name!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
sys.exit(damier_command.run())
"""


@pytest.mark.parametrize("name", ["damier", "damier.position", "damier.cli"])
def test_ctrl_c_during_the_start_leaves_no_traceback(name: str) -> None:
    done = command(INTERRUPTED_IMPORT.format(name=name))
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


RUN = "import sys, damier_command; sys.argv[1:] = {words!r}; sys.exit(damier_command.run())"


@pytest.mark.skipif(os.name != "posix", reason="/dev/full")
@pytest.mark.parametrize("words", [["--help"], ["moves", "chefa"], ["moves", "nosuchgame"]])
def test_closed_pipes_and_full_disks_leave_no_traceback(words: list[str]) -> None:
    reader, closed = os.pipe()
    os.close(reader)
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        for stream in ("stdout", "stderr"):
            for target in (closed, full):
                done = command(RUN.format(words=words), **{stream: target})
                said = (done.stdout or b"") + (done.stderr or b"")
                assert b"Traceback" not in said
                assert b"Exception ignored" not in said
                assert done.returncode in (0, 1, 2)
                if target == full and stream == "stdout" and words[-1] == "chefa":
                    assert (done.returncode, b"Errno" in done.stderr) == (1, False)
                    assert done.stderr
    finally:
        os.close(closed)
        os.close(full)
