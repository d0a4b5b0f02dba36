"""The example game, written, installed and played as by an external author."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

import damier
from damier import DamierError, Position, i18n, jit
from damier.games import load
from damier.games.levels import LEVELS
from damier.players import player
from damier.rulebook import read
from tests.support import tapatan_reference as by_hand

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
FOLDER = EXAMPLES / "tapatan"
PLAIN = {"NUMBA_DISABLE_JIT": "1"}  # for what is soon done: compiling would take longer


@pytest.fixture(scope="session")
def plugged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which the example is installed as a package, without its sources."""
    source, target = (tmp_path_factory.mktemp(name) for name in ("source", "installed"))
    shutil.copytree(EXAMPLES, source, dirs_exist_ok=True)  # building leaves nothing in the tree
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-index",
            "--no-deps",
            "--no-build-isolation",
            "--disable-pip-version-check",
            "--target",
            target,
            source,
        ],
        check=True,
    )
    paths = [str(target), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "LANGUAGE": "en"}


def command(
    env: dict[str, str], *words: str, typed: str = "", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "damier", *words],
        env=env,
        input=typed,
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.fixture
def rules(own_registry: None) -> damier.Rules:
    """The rules from their folder, for this test alone."""
    load(FOLDER)
    return damier.load_rules("tapatan")


def state_of(position: Position) -> by_hand.State:
    """Return a position as the other implementation knows it."""
    white, black = (
        frozenset(i for i in range(9) if pawns >> i & 1)
        for pawns in (position.white, position.black)
    )
    return by_hand.State((white, black), "wb".index(position.side))


def every_position(rules: damier.Rules) -> list[Position]:
    seen = {rules.start()}
    waiting = [rules.start()]
    while waiting:
        new = waiting.pop().children() - seen
        seen |= new
        waiting += new
    return list(seen)


# ---- the rules --------------------------------------------------------------------------------


def test_the_rules_are_short() -> None:
    assert len((FOLDER / "rules.py").read_text("utf-8").splitlines()) <= 120


def test_positions_agree_with_the_reference(rules: damier.Rules) -> None:
    positions = every_position(rules)
    assert {state_of(position) for position in positions} == set(by_hand.reachable())
    for position in positions:
        state, moves = state_of(position), position.legal_moves()
        assert {state_of(move.after) for move in moves} == by_hand.after(state)
        assert len({move.text for move in moves}) == len(moves)
        result, winner = position.result(), by_hand.winner(state)
        assert (result and (result.winner, result.reason)) == (
            None if winner is None else ("wb"[winner], "line")
        )
        assert moves or result  # nobody is blocked
        assert rules.position(str(position)) == position
        assert [rules.folder.rules.hands(*position.words)] == [
            tuple(3 - len(side) for side in state.pawns)
        ]


@pytest.mark.skipif(not jit.enabled(), reason="nothing is compiled")
def test_both_speeds_are_equal(rules: damier.Rules) -> None:
    import numpy as np

    fast, module = jit.link(rules.folder.module), rules.module
    for position in every_position(rules):
        out, plain = np.zeros(module.GROUPS, np.int64), [0] * module.GROUPS
        judgement = module.legal(*position.words, plain)
        assert fast.legal(*position.words, out) == judgement
        if not judgement:
            assert out.tolist() == plain
            for move in position.legal_moves():
                assert fast.play(*position.words, *move.steps) == move.words


def test_symmetries_and_colours(rules: damier.Rules) -> None:
    position = rules.start().play("b2").play("a1").play("b3")
    for symmetry in range(8):
        for swap in (False, True):
            other = position.transformed(symmetry, swap)
            assert other.side == ("w" if swap else "b")
            assert other.perft(3) == position.perft(3)


def test_a_refusal_says_why_in_both_languages(rules: damier.Rules) -> None:
    position = rules.position("bw./.w./wbb w")
    with pytest.raises(DamierError, match="can only slide along a line to the next point"):
        position.play("a1-c3")
    with i18n.use_language("fr"), pytest.raises(DamierError, match="ne peut que glisser"):
        position.play("a1-c3")
    with pytest.raises(DamierError, match="b1"):
        position.play("a1-b1")


def test_the_page_is_the_same_in_both_languages(rules: damier.Rules) -> None:
    english, french = (read("tapatan", language) for language in i18n.LANGUAGES)
    assert [section.key for section in english.sections] == [
        "aim",
        "board",
        "turn",
        "end",
        "origin",
    ]
    for one, other in zip(english.sections, french.sections, strict=True):
        assert one.key == other.key
        for diagram, same in zip(one.diagrams, other.diagrams, strict=True):
            assert diagram.equals_except_caption(same)
    for line in (FOLDER / "page.fr.md").read_text("utf-8").splitlines():
        assert not re.search(r" [:;?!»]|« |'", re.sub(r"`[^`]*`|^\w+:", "", line)), line
    said = [rules.folder.texts(language) for language in i18n.LANGUAGES]
    assert said[0].keys() == said[1].keys()
    assert all(said[0][key] != said[1][key] for key in said[0] if "." in key or key == "aim")


def test_the_rules_alone_are_a_game(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "rules.py", tmp_path / "alone.py")
    env = {**os.environ, "LANGUAGE": "en"}
    assert command(env, "perft", "alone.py", "2", cwd=tmp_path).stdout == "1 9\n2 72\n"
    done = command(env, "play", "./alone.py", "--two", cwd=tmp_path, typed="\n".join(won_game()))
    assert done.stdout.rstrip().endswith("White wins: all pawns in a line."), done.stderr
    code = (
        "from damier.games import load; load('alone.py')\n"
        "from damier.rulebook import read\n"
        "print(read('tapatan', 'fr').title, '|', read('tapatan', 'fr').opening)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, encoding="utf-8"
    )
    assert done.stdout.startswith("Tapatan | Tapatan: place three pawns"), done.stderr
    assert "No player can be blocked." in done.stdout


# ---- installed --------------------------------------------------------------------------------


def test_the_example_is_listed(plugged: dict[str, str]) -> None:
    code = "import damier; print(*damier.GAMES); print(damier.GAMES['tapatan'].directory)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=plugged, capture_output=True, encoding="utf-8"
    )
    names, directory = done.stdout.splitlines()
    assert names.split()[-1] == "tapatan", done.stderr
    assert str(EXAMPLES) not in directory
    listed = command(plugged, "play", typed="tapatan\nquit\n")
    assert "Tapatan – Place three pawns, then slide them into a row." in listed.stdout


def test_moves_and_perft(plugged: dict[str, str]) -> None:
    assert command(plugged, "turns", "tapatan").stdout.split() == [
        "a1",
        "a2",
        "a3",
        "b1",
        "b2",
        "b3",
        "c1",
        "c2",
        "c3",
    ]
    done = command(plugged, "turns", "Tapatan", "--position", "bw./.w./wbb w")
    assert done.stdout.split() == ["a1-a2", "b2-a2", "b2-c2", "b2-c3", "b3-c3"]
    counted = command(plugged, "perft", "tapatan", "8")
    expected = [by_hand.paths(by_hand.START, depth) for depth in range(1, 9)]
    assert [int(line.split()[1]) for line in counted.stdout.splitlines()] == expected


def won_game() -> list[str]:
    """Return a game that White wins, found by the other implementation's values."""
    values = by_hand.values()
    names = [f"{'abc'[i % 3]}{i // 3 + 1}" for i in range(9)]
    state, moves = by_hand.START, []
    while by_hand.winner(state) is None:
        best = {"win": "loss", "loss": "win"}[values[state][0]]
        state, before = (
            min(
                (s for s in by_hand.after(state) if values[s][0] == best),
                key=lambda s: (values[s][1], *map(sorted, s.pawns)),
            ),
            state,
        )
        was, now = (s.pawns[before.side] for s in (before, state))
        gone, come = was - now, now - was
        moves.append("-".join(names[i] for i in (*gone, *come)))
    return moves


def test_a_game_in_the_terminal_is_recorded_and_replayed(
    plugged: dict[str, str], tmp_path: Path
) -> None:
    moves = won_game()
    data = {**plugged, "DAMIER_DATA_DIR": str(tmp_path)}
    typed = "\n".join([moves[0], moves[0], *moves[1:]])
    played = command(data, "play", "tapatan", "--two", typed=typed)
    assert f"{moves[0]}: not allowed." in played.stdout
    assert played.stdout.rstrip().endswith("White wins: three pawns in a row.")
    record = tmp_path / "last-game.txt"
    assert '[Game "tapatan"]' in record.read_text("utf-8")
    again = command(data, "replay", str(record))
    assert again.returncode == 0, again.stderr
    assert again.stdout.rstrip().endswith("White wins: three pawns in a row.")
    french = command(data, "--lang", "fr", "replay", str(record))
    assert french.stdout.rstrip().endswith("trois pions alignés.")
    # Who has not installed it says where it is.
    bare = {**os.environ, "LANGUAGE": "en"}
    assert "There is no game called “tapatan”" in command(bare, "replay", str(record)).stderr
    done = command(bare, "replay", str(record), "--game", str(FOLDER))
    assert done.stdout == again.stdout


def test_programs_can_query_the_example(plugged: dict[str, str]) -> None:
    question = {"game": "tapatan", "turns": won_game()}
    done = command(plugged, "rules", typed=json.dumps(question) + "\n")
    answer = json.loads(done.stdout)
    assert answer["turns"] == []
    assert answer["result"] == ["w", "line"]
    done = command(plugged, "engine", typed="uci\nquit\n")
    assert "game tapatan presets default" in done.stdout.splitlines()


@pytest.mark.parametrize("installed", [True, False], ids=["plug-in", "path"])
def test_a_match_in_the_arena(plugged: dict[str, str], installed: bool, tmp_path: Path) -> None:
    """Other processes must find the game again."""
    env = {**(plugged if installed else os.environ), "LANGUAGE": "en", **PLAIN}
    done = command(
        env, "arena", "tapatan" if installed else str(FOLDER), "random", "uct:nodes=10",
        "--games", "4", "--workers", "2", "--opening", "0", "--json",
        "--save", str(tmp_path / "games.txt"),
    )  # fmt: skip  # compact list
    assert done.returncode == 0, done.stderr
    (pairing,) = json.loads(done.stdout)["pairings"]
    assert pairing["games"] == 4
    replayed = command(env, "replay", str(tmp_path / "games.txt"), "--game", str(FOLDER))
    assert replayed.returncode == 0, replayed.stderr
    assert replayed.stdout.count('[Game "tapatan"]') == 4


@pytest.fixture
def server() -> Iterator[str]:
    """Return the address of a server started with the path of the game."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "damier",
            "--lang",
            "en",
            "web",
            "--no-browser",
            "--port",
            "8760",
            "--game",
            str(FOLDER),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    yield next(word for word in process.stdout.readline().split() if word.startswith("http"))
    process.terminate()
    process.wait(20)
    process.stdout.close()


def asked(server: str, path: str, **body: object) -> dict[str, object]:
    data = json.dumps(body).encode() if body else None
    request = Request(f"{server}api/v1/{path}", data, {"Content-Type": "application/json"})
    with urlopen(request, timeout=60) as answer:
        found: dict[str, object] = json.load(answer)
    return found


def test_the_server_serves_the_example(server: str) -> None:
    games = asked(server, "games")["games"]
    assert isinstance(games, list)
    (game,) = [game for game in games if game["name"] == "tapatan"]
    assert len(game["board"]["lines"]) == 16
    assert game["look"]["miniature"] == ["b2", "a1", "c3", "a3"]
    state = asked(server, "state", game="tapatan", turns=won_game())
    assert state["result"]
    steps = asked(server, "state", game="tapatan", start="bw./.w./wbb w")["steps"]
    assert isinstance(steps, list)
    assert {(s["kind"], s["origin"], s["target"]) for s in steps if s["origin"] == "a1"} == {
        ("move", "a1", "a2")
    }
    page = asked(server, "rules/tapatan")
    assert page["title"] == "Tapatan"


# ---- what the search and the solver make of it --------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_plays_a_legal_game(rules: damier.Rules, level: int) -> None:
    players = {"w": player(f"level:{level}", seed=1), "b": player("random", seed=level)}
    game = damier.Game(rules)
    while not game.over:
        game = game.play(players[game.position.side].choose(game))
    result = game.result()
    assert result is not None
    assert result.winner == "w" or level < 6


def test_a_strong_level_beats_chance(plugged: dict[str, str]) -> None:
    done = command(
        plugged,
        "arena",
        "tapatan",
        "level:7",
        "random",
        "--games",
        "10",
        "--opening",
        "0",
        "--json",
    )
    (pairing,) = json.loads(done.stdout)["pairings"]
    assert pairing["losses"] == 0
    assert pairing["score"] >= 0.8


def test_analysis_finds_the_win(rules: damier.Rules) -> None:
    from damier.search.analysis import analyse

    found = analyse(damier.Game(rules), nodes=100_000)
    assert found.moves[0].move.text == "b2"


def test_the_example_is_solved(plugged: dict[str, str], tmp_path: Path) -> None:
    env = {**plugged, "DAMIER_DATA_DIR": str(tmp_path), **PLAIN}
    done = command(env, "solve", "tapatan")
    assert done.returncode == 0, done.stderr
    value = by_hand.values()[by_hand.START]
    assert value == ("win", 9)
    probed = json.loads(command(env, "probe", "tapatan", "--json").stdout)
    assert (probed["outcome"], probed["distance"]) == value
    assert {t["turn"] for t in probed["turns"] if t["outcome"] == "win"} == {"b2"}
    assert len(probed["line"]) == 9
    assert command(env, "solve", "tapatan", "--verify").returncode == 0


def test_every_value_is_right(rules: damier.Rules) -> None:
    from damier import solve
    from damier.cli import main

    assert main(["solve", str(FOLDER)]) == 0
    values = by_hand.values()
    for position in every_position(rules):
        found = solve.probe(position)
        assert found is not None
        assert (found.outcome, found.distance) == values[state_of(position)], position
