"""The line protocol, as a program sees it, and programs as players."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

import damier
from damier import jit
from damier.players import player
from damier.search import protocol, warm
from damier.search.protocol import CommandPlayer, Server, read_go, read_position
from damier.solve.tables import find


def conversation(*lines: str) -> list[str]:
    said: list[str] = []
    Server(said.append).serve(lines)
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
    turn = said[-1].split()[1]
    assert turn in {t.text for t in damier.game(name).start().turns()}
    info = said[-2].split()
    solved = find(damier.game(name)) is not None
    assert info[:3] == ["info", "depth", "0" if solved else "2"]
    assert info[info.index("line") + 1] == turn
    assert 0 <= float(info[info.index("chance") + 1]) <= 1


def test_every_turn_has_a_line() -> None:
    every = "setoption name multipv value true"
    lines = every, "position chefa turns b1 a5", "go depth 1"
    said = conversation(*lines)
    assert sum(line.startswith("info depth 0 multipv ") for line in said) == 22
    said = conversation("setoption name tables value false", *lines)
    assert sum(line.startswith("info depth 1 multipv ") for line in said) == 22


def test_contempt_plays_for_a_win() -> None:
    """The option makes the engine choose, and value, as the player `engine:` does."""
    rules = damier.game("fanorona", "international")
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


def test_options_that_are_not_there() -> None:
    (answer,) = conversation("setoption name style value true")
    assert "contempt" in answer
    assert answer.startswith("error")


def test_a_proof_is_said() -> None:
    said = conversation("position chefa turns b1 a5 c1 a4 d1 a2", "go depth 2")
    assert any("outcome win distance 1" in line for line in said)
    assert said[-1] in ("bestturn a1", "bestturn e1")


def test_the_document_s_example() -> None:
    text = Path(__file__).parent.parent.joinpath("docs", "protocol.md").read_text("utf-8")
    example = text.split("```\n")[1].splitlines()
    told = [line[2:] for line in example if line.startswith("> ")]
    assert told
    assert conversation(*told) == [line for line in example if not line.startswith("> ")]


@pytest.mark.skipif(not jit.enabled(), reason="JIT is off")
def test_who_waits_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "position fanorona", "go depth 1"
    monkeypatch.setattr(protocol, "ready", lambda rules: False)
    assert conversation(*lines)[0] == "info preparing"
    monkeypatch.setattr(protocol, "ready", lambda rules: True)
    assert "info preparing" not in conversation(*lines)


def test_infinite_ends_by_stop() -> None:
    said: list[str] = []
    server = Server(said.append)
    server.answer("position chefa")
    server.answer("go infinite")
    server.answer("position chefa")
    assert said[-1].startswith("error ") or any(line.startswith("error ") for line in said)
    server.answer("stop")
    assert said[-1].startswith("bestturn ")
    assert server.answer("quit") is False


def test_what_was_found_is_kept_where_the_clock_decides() -> None:
    warm(damier.game("chefa"))
    said: list[str] = []
    server = Server(said.append)
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
    drawn = random.Random(1)
    words = ["position", "go", "stop", "setoption", "name", "value", "multipv", "true", "chefa",
             "options", "a=b", "turns", "b2", "start", "nodes", "9", "\x00", "é", "=", "/", "{x}",
             "position-text", "1e9", "depth", "2", "isready"]  # fmt: skip
    for _ in range(300):
        line = " ".join(drawn.choice(words) for _ in range(drawn.randrange(1, 7)))
        said = conversation(line, "stop", "isready")
        assert said[-1] == "readyok", line
        assert all("\n" not in answer for answer in said)


def test_a_program_plays() -> None:
    made = player(f"cmd:depth=1 {sys.executable} -m damier engine")
    assert isinstance(made, CommandPlayer)
    try:
        game = damier.Game(damier.game("chefa", "fair")).play("b2")
        for _ in range(2):
            game = game.play(made.choose(game))
        game = damier.Game(damier.game("seega"))
        made.choose(game)
        assert made.looked.depth == 1
        assert made.looked.nodes > 0
    finally:
        made.close()


def test_programs_that_fail() -> None:
    game = damier.Game(damier.game("chefa"))
    for code in ("pass", "print('error no'); input()", "print('uciok'); print('bestturn z9')"):
        made = CommandPlayer([sys.executable, "-c", code], "nodes 1")
        with pytest.raises((damier.DamierError, OSError)):
            made.choose(game)
        made.close()


def test_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "damier", "engine"], input=b"\xff\xfe\nisready\nquit\n",
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.decode().splitlines()[-1] == "readyok"
    assert done.stdout.decode().startswith("error ")


def test_where_a_table_knows_no_value_is_given_away() -> None:
    """Along a game of random turns the engine, however hasty, plays what a table ranks first."""
    chance = random.Random(4)
    rules = damier.game("chefa")
    game = damier.Game(rules)
    table = find(rules)
    assert table is not None
    while not game.result() and game.ply < 20:
        played = game.text
        said = conversation(f"position chefa turns {played}", "go depth 1")
        value = table.probe(game.position)
        kept = table.probe(game.turn(said[-1].split()[1]).after)
        assert value is not None
        assert kept is not None
        assert kept.before().outcome == value.outcome
        assert f"outcome {value.outcome}" in said[-2]
        game = game.play(chance.choice(game.turns()))
