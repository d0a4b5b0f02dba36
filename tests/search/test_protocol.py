"""The engine's line protocol, and external programs as players."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

import damier
from damier import jit
from damier.players import player
from damier.search import external, protocol, warm
from damier.search.external import ExternalEnginePlayer
from damier.search.protocol import EngineServer, read_go, read_position
from damier.solve.tables import find

pytestmark = pytest.mark.slow


def conversation(*lines: str) -> list[str]:
    said: list[str] = []
    EngineServer(said.append).serve(lines)
    return said


def test_hello() -> None:
    said = conversation("uci", "isready")
    assert said[0].startswith("id name damier ")
    assert said[-2:] == ["uciok", "readyok"]
    for name in damier.GAMES:
        assert any(line.startswith(f"game {name} presets ") for line in said)


@pytest.mark.parametrize("name", sorted(damier.GAMES))
def test_search(name: str) -> None:
    said = conversation(f"position {name}", "go depth 2")
    assert said[-1].startswith("bestturn ")
    move = said[-1].split()[1]
    assert move in {t.text for t in damier.load_rules(name).start().legal_moves()}
    info = said[-2].split()
    solved = find(damier.load_rules(name)) is not None
    assert info[:3] == ["info", "depth", "0" if solved else "2"]
    assert info[info.index("line") + 1] == move
    assert 0 <= float(info[info.index("chance") + 1]) <= 1


def test_every_move_has_a_line() -> None:
    every = "setoption name multipv value true"
    lines = every, "position chefa turns b1 a5", "go depth 1"
    said = conversation(*lines)
    assert sum(line.startswith("info depth 0 multipv ") for line in said) == 22
    said = conversation("setoption name tables value false", *lines)
    assert sum(line.startswith("info depth 1 multipv ") for line in said) == 22


def test_contempt_plays_for_a_win() -> None:
    """The option makes the engine choose, and value, as the player `engine:` does."""
    rules = damier.load_rules("fanorona", "international")
    start = "b...b...b/........./........./........./w...w...w w 0"
    game = damier.Game(rules.position(start))
    said = {}
    for contempt in ("true", "false"):
        *_, info, best = conversation(
            f"setoption name contempt value {contempt}",
            f"position fanorona options preset=international {start}",
            "go nodes 3000",
        )
        words = info.split()
        said[contempt] = float(words[words.index("chance") + 1]), best
    mover = player("engine:nodes=3000")
    assert said["true"][1] == f"bestturn {mover.choose(game).text}"
    assert said["true"][0] < said["false"][0]  # six pawns are mostly drawn
    assert "option name contempt type check default false" in conversation("uci")
    plain = conversation("position fanorona options preset=international " + start, "go nodes 3000")
    assert plain[-1] == said["false"][1]


def test_unknown_options_are_refused() -> None:
    (answer,) = conversation("setoption name style value true")
    assert "contempt" in answer
    assert answer.startswith("error")


def test_a_proof_is_reported() -> None:
    said = conversation("position chefa turns b1 a5 c1 a4 d1 a2", "go depth 2")
    assert any("outcome win distance 1" in line for line in said)
    assert said[-1] in ("bestturn a1", "bestturn e1")


def test_the_example_of_the_document() -> None:
    text = Path(__file__).parents[2].joinpath("docs", "protocol.md").read_text("utf-8")
    example = text.split("```\n")[1].splitlines()
    commands = [line[2:] for line in example if line.startswith("> ")]
    assert commands
    assert conversation(*commands) == [line for line in example if not line.startswith("> ")]


@pytest.mark.skipif(not jit.enabled(), reason="JIT is off")
def test_waiting_for_the_compiler_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "position fanorona", "go depth 1"
    monkeypatch.setattr(protocol, "ready", lambda rules: False)
    assert conversation(*lines)[0] == "info preparing"
    monkeypatch.setattr(protocol, "ready", lambda rules: True)
    assert "info preparing" not in conversation(*lines)


def test_infinite_ends_by_stop() -> None:
    said: list[str] = []
    server = EngineServer(said.append)
    server.answer("position chefa")
    server.answer("go infinite")
    server.answer("position chefa")
    assert said[-1].startswith("error ") or any(line.startswith("error ") for line in said)
    server.answer("stop")
    assert said[-1].startswith("bestturn ")
    assert server.answer("quit") is False


def test_results_are_kept_between_timed_searches() -> None:
    warm(damier.load_rules("chefa"))
    said: list[str] = []
    server = EngineServer(said.append)
    lines = "setoption name tables value false", "position chefa turns b1 a5"
    for line in (*lines, "go nodes 300"):
        server.answer(line)
    server._join()
    first = [line.partition(" time ")[0] for line in said]
    server.answer("go movetime 20")
    server._join()
    engine = server._engine
    server.answer("go movetime 20")
    server._join()
    assert server._engine is engine
    said.clear()
    server.answer("go nodes 300")
    server._join()
    assert [line.partition(" time ")[0] for line in said] == first
    server.answer("newgame")
    assert server._engine is None


def test_positions() -> None:
    game = read_position(
        ["fanorona", "options", "preset=international", "board=5x5", "start", "turns"]
    )
    assert game.rules.options["capture"] == "forced"
    assert str(game.position) == "bbbbb/bbbbb/bw.bw/wwwww/wwwww w 0"
    game = read_position(["chefa", "...../...../...../...../ww...", "b", "-", "turns", "a5"])
    assert str(game.position) == "b..../...../...../...../ww... w -"


def test_limits() -> None:
    limits = read_go(["nodes", "5", "movetime", "1500", "depth", "3"])
    assert (limits.nodes, limits.seconds, limits.depth) == (5, 1.5, 3)
    for text in ("nodes", "nodes 0", "nodes -1", "nodes x", "nodes 1 nodes 2", "ponder 1"):
        with pytest.raises(damier.DamierError):
            read_go(text.split())


def test_junk_is_answered() -> None:
    """Whatever stands on a line, the answer is one line and the next line is answered too."""
    rng = random.Random(1)
    words = ["position", "go", "stop", "setoption", "name", "value", "multipv", "true", "chefa",
             "options", "a=b", "turns", "b2", "start", "nodes", "9", "\x00", "é", "=", "/", "{x}",
             "position-text", "1e9", "depth", "2", "isready"]  # fmt: skip  # compact list
    for _ in range(300):
        line = " ".join(rng.choice(words) for _ in range(rng.randrange(1, 7)))
        said = conversation(line, "stop", "isready")
        assert said[-1] == "readyok", line
        assert all("\n" not in answer for answer in said)


def test_a_program_plays() -> None:
    made = player(f"cmd:depth=1 {sys.executable} -m damier engine")
    assert isinstance(made, ExternalEnginePlayer)
    try:
        game = damier.Game(damier.load_rules("chefa", "fair")).play("b2")
        for _ in range(2):
            game = game.play(made.choose(game))
        game = damier.Game(damier.load_rules("seega"))
        made.choose(game)
        assert made.search_stats.depth == 1
        assert made.search_stats.nodes > 0
    finally:
        made.close()


def play_with(code: str, timeout: float = 20.0) -> str:
    """Let a program choose a move; return the reason why it does not."""
    made = ExternalEnginePlayer([sys.executable, "-c", code], "nodes 1")
    made._timeout = timeout
    try:
        with pytest.raises(damier.DamierError) as caught:
            made.choose(damier.Game(damier.load_rules("chefa")))
    finally:
        made.close()
    return caught.value.key


ENDLESS = "import os; os.write(1, b'uciok\\n')\nwhile True: os.write(1, {text!r} * 10_000)"


@pytest.mark.parametrize(
    ("code", "timeout", "key"),
    [
        ("pass", 20.0, "protocol-ended"),
        ("print('error no'); input()", 20.0, "protocol-program"),
        ("print('uciok'); print('bestturn z9')", 20.0, "turn-form"),
        ("input(); input()", 0.5, "protocol-timeout"),
        (ENDLESS.format(text=b"info depth 1\n"), 1.0, "protocol-timeout"),
        (ENDLESS.format(text=b"x"), 20.0, "protocol-line"),
        ("import time; print('uciok', flush=True); time.sleep(60)", 0.5, "protocol-timeout"),
    ],
    ids=["ends", "error", "illegal", "silent", "endless", "long-line", "does-not-read"],
)
def test_a_program_that_fails_loses_with_a_reason(code: str, timeout: float, key: str) -> None:
    assert play_with(code, timeout) == key


def test_the_output_of_a_program_waits_in_a_bounded_queue(tmp_path: Path) -> None:
    """A program that prints without end waits for its reader, and costs no memory."""
    printed = tmp_path / "printed"
    code = f"""
import os
print("uciok", flush=True)
total = 0
while True:
    total += os.write(1, b"info string and so on\\n" * 1000)
    open({str(printed)!r}, "w").write(str(total))
"""
    process = external.EngineProcess([sys.executable, "-c", code])
    try:
        assert process.next_line(monotonic() + 20, 20) == "uciok"
        before = -1
        while before != (before := int(printed.read_text() or 0) if printed.exists() else -1):
            sleep(0.3)
        assert process._output.qsize() <= external.MAX_QUEUED_LINES
        # In the queue, in the reader's hands, and in the pipe.
        assert before < 23 * external.MAX_QUEUED_LINES + 4 * external.READ_BYTES + (1 << 20)
    finally:
        process.close()


@pytest.mark.skipif(os.name != "posix", reason="process groups")
@pytest.mark.parametrize("leaves_group", [False, True])
def test_a_child_process_that_holds_the_pipe_delays_nobody(leaves_group: bool) -> None:
    code = f"""
import subprocess, sys
child = subprocess.Popen(
    [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session={leaves_group}
)
print("uciok", flush=True)
print("error", child.pid, flush=True)
"""
    made = ExternalEnginePlayer([sys.executable, "-c", code], "nodes 1")
    with pytest.raises(damier.DamierError, match=r"error \d+") as caught:
        made.choose(damier.Game(damier.load_rules("chefa")))
    child = int(str(caught.value).split()[-1])
    began = monotonic()
    made.close()
    assert monotonic() - began < 30  # the child lives for ten minutes
    if leaves_group:
        os.kill(child, signal.SIGKILL)
    else:
        wait_for(lambda: not alive(child))


@pytest.mark.skipif(os.name != "posix", reason="process groups")
@pytest.mark.parametrize(("number", "workers"), [(signal.SIGTERM, "2"), (signal.SIGINT, "1")])
def test_programs_end_with_the_match_that_started_them(
    tmp_path: Path, number: int, workers: str
) -> None:
    """Also those that do not notice the end of their input, and in worker processes."""
    pids = tmp_path / "pids"
    pids.mkdir()
    program = tmp_path / "program.py"
    program.write_text(f"""
import os, pathlib
pathlib.Path({str(pids)!r}, str(os.getpid())).touch()
while True: pass
""")
    command = [sys.executable, "-m", "damier", "arena", "chefa", "random"]
    command += [f"cmd:{sys.executable} {program}", "--opening", "0", "--workers", workers]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as match:
        wait_for(lambda: len(list(pids.iterdir())) >= 1)
        match.send_signal(number)
        match.wait(30)
    wait_for(lambda: not any(alive(int(path.name)) for path in pids.iterdir()))


def alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended may still wait for its parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for(what: Callable[[], bool]) -> None:
    end = monotonic() + 30
    while not what():
        assert monotonic() < end
        sleep(0.05)


def test_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "damier", "engine"],
        input=b"\xff\xfe\nisready\nquit\n",
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.decode().splitlines()[-1] == "readyok"
    assert done.stdout.decode().startswith("error ")


def test_table_values_are_never_given_away() -> None:
    """Along a game of random moves the engine, however hasty, plays what a table ranks first."""
    rng = random.Random(4)
    rules = damier.load_rules("chefa")
    game = damier.Game(rules)
    table = find(rules)
    assert table is not None
    while not game.result() and game.ply < 20:
        played = game.text
        said = conversation(f"position chefa turns {played}", "go depth 1")
        value = table.probe(game.position)
        kept = table.probe(game.parse_move(said[-1].split()[1]).after)
        assert value is not None
        assert kept is not None
        assert kept.before().outcome == value.outcome
        assert f"outcome {value.outcome}" in said[-2]
        game = game.play(rng.choice(game.legal_moves()))
