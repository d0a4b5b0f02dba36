"""docs/online.md: it names every message and limit, and its example bot plays."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from damier.gameplay import Game
from damier.online import events as e
from damier.online import messages
from damier.online.http import router
from damier.position import load_rules
from tests.support.online_client import OnlineTestServer

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "online.md").read_text("utf-8")


def kinds(union: object, name: str = "kind") -> list[str]:
    """Return the names of what a union is made of."""
    models = get_args(get_args(union)[0])
    return [get_args(model.model_fields[name].annotation)[0] for model in models]


def test_every_event_act_message_and_address_is_named() -> None:
    server_messages = [
        get_args(model.model_fields["type"].annotation)[0] for model in messages.SERVER_MESSAGES
    ]
    named = set(re.findall(r"`([a-z-]+)`", PAGE))
    for kind in (
        *kinds(e.GameEvent),
        *kinds(e.PlayerAction),
        *kinds(messages.ClientMessage, "type"),
        *server_messages,
    ):
        assert kind in named, kind
    bye: type[BaseModel] = messages.CloseMessage
    for word in (*get_args(e.Phrase), *get_args(bye.model_fields["reason"].annotation)):
        assert word in named, word
    for route in router.routes:
        path = str(getattr(route, "path", "")).removeprefix("/api/v1/online/")
        where = re.sub(r"\{\w+\}", "{id}", path)
        assert f"{where}`" in PAGE or f"{where}," in PAGE, path


@pytest.mark.parametrize("name", ["chefa"])
def test_the_bot_plays_a_game_to_its_end(name: str, tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    script = tmp_path / "bot.py"
    script.write_text(code, "utf-8")
    server = OnlineTestServer(f"sqlite+aiosqlite:///{tmp_path / 'x.sqlite'}")
    try:
        ada = server.create_identity("Ada")["secret"]
        terms = {"game": name, "colour": "w", "clock": {"kind": "live", "minutes": 5, "seconds": 1}}
        _, made = server.request("games", terms, ada)
        with server.connect(ada) as line:
            line.send(type="follow", game=made["id"])
            address = f"http://127.0.0.1:{server.port}/"
            bot = subprocess.Popen(
                [sys.executable, script, address, made["id"]], stdout=subprocess.PIPE, text=True
            )
            line.wait_for_event("joined")
            play, version = Game(load_rules(name)), 2
            while play.ply < 12 and not play.over:
                move = play.legal_moves()[len(play.legal_moves()) // 2].text
                line.act(made["id"], "turn", version, turn=move)
                event = line.wait_for_event("turn")["event"]
                assert (event["by"], event["turn"]) == ("w", move)
                play = play.play(move)
                if not play.over:
                    event = line.wait_for_event("turn")["event"]
                    assert event["by"] == "b"
                    play, version = play.play(event["turn"]), event["version"]
            if not play.over:
                line.act(made["id"], "resign")
            ended = line.wait_for_event("ended")["event"]
            said, _ = bot.communicate(timeout=60)
            assert said == f"{ended['winner']} {ended['reason']}\n"
        _, shown = server.request(f"games/{made['id']}", get=True)
        assert shown["seats"]["b"]["bot"]
    finally:
        server.close()
