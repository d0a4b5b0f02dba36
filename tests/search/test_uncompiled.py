"""Node-limited answers that are equal before and after compilation."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import damier
from damier import DamierError, jit
from damier.search import Engine, LevelPlayer, Limits, Stop
from damier.search.analysis import analyse
from damier.search.engine import MAX_PLAIN_SECONDS
from damier.search.protocol import EngineServer
from damier.search.warmup import WARMUPS
from damier.web.app import create_app
from damier.web.engine import choose_engine_move

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit.enabled(), reason="there is one speed only"),
]

PLAYERS = ("level:1", "level:3", "level:5", "engine:nodes=2000", "engine:nodes=9000")
CHOICES = f"""
import damier
from damier.players import player
from damier.search.warmup import ready
game = damier.Game(damier.load_rules("chefa")).play("b1", "a5")
print(ready(game.rules))
for name in {PLAYERS}:
    one = player(name, 7)
    for _ in range(2):
        print(name, one.choose(game), one.search_stats.depth, one.search_stats.nodes)
"""


def choices(cache: Path) -> list[str]:
    """Return what players choose in a process of its own, with a cache of machine code."""
    environment = {**os.environ, "DAMIER_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", CHOICES], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_cold_and_warm_choose_the_same(tmp_path: Path) -> None:
    cold = choices(tmp_path)
    assert cold[0] == "False"
    assert list(tmp_path.rglob("*.code"))  # it was compiled meanwhile
    assert choices(tmp_path) == cold
    assert len(cold) == 1 + 2 * len(PLAYERS)


def test_cold_and_warm_servers_play_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compilation exceeds a request's deadline: the client waits and is answered."""
    body = {"game": "chefa", "turns": ["b1", "a5"], "level": 7, "seed": 7}
    game = damier.Game(damier.load_rules("chefa")).play("b1", "a5")
    expected = LevelPlayer(7, 7).choose(game).text
    monkeypatch.setenv("DAMIER_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("damier.web.models.MAX_SECONDS", 1.5)
    with TestClient(create_app()) as client:
        assert client.post("/api/v1/warm", json={"game": "chefa"}).json() == {"ready": False}
        answer = client.post("/api/v1/move", json=body)
        assert answer.status_code == 200, answer.text
        assert (answer.json()["turn"], answer.json()["hasty"]) == (expected, False)
        assert list(tmp_path.rglob("*.code"))  # it has waited for the compiler


def test_a_reproducible_level_is_not_cut_short() -> None:
    game, stop = damier.Game(damier.load_rules("chefa")), Stop()
    stop.set()
    for level in (1, 5, 7):
        with pytest.raises(DamierError) as refused:
            choose_engine_move(game, level, 7, stop)
        assert refused.value.key == "too-much"
    assert choose_engine_move(game, 8, 7, stop)[0] in game.legal_moves()


@pytest.fixture
def _never_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that has given up: plain Python answers all."""
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    monkeypatch.setattr(WARMUPS, "ready", lambda rules, endings=False: False)
    monkeypatch.setattr(WARMUPS, "thread", lambda rules, endings=None: thread)
    monkeypatch.setattr(WARMUPS, "_begun", dict.fromkeys(damier.GAMES, 0.0))


@pytest.mark.usefixtures("_never_compiled")
def test_node_limits_are_not_cut_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("damier.search.engine.MAX_PLAIN_SECONDS", 0.0)
    assert MAX_PLAIN_SECONDS
    game = damier.Game(damier.load_rules("chefa"))
    for limits in (Limits(nodes=5000), Limits(depth=2)):
        engine = Engine(game.rules, expected_nodes=limits.expected_nodes, patience=0.0)
        result = engine.think(game, limits)
        plain = Engine(game.rules, expected_nodes=limits.expected_nodes, compiled=False).think(
            game, limits
        )
        assert (result.moves, result.depth, result.nodes) == (plain.moves, plain.depth, plain.nodes)
        assert result.nodes
        assert not result.hasty


@pytest.mark.usefixtures("_never_compiled")
def test_hasty_answers_are_labelled() -> None:
    game = damier.Game(damier.load_rules("seega"))
    assert analyse(game, seconds=0.05).hasty
    assert not analyse(game, nodes=100).hasty
    said: list[str] = []
    EngineServer(said.append).serve(("position seega", "go movetime 50"))
    assert said[-2] == "info hasty"
    said.clear()
    EngineServer(said.append).serve(("position seega", "go nodes 100"))
    assert "info hasty" not in said
