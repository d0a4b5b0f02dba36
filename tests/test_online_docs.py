"""The page on online play: it names everything there is, and its bot plays."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from damier.history import Game
from damier.online import events as e
from damier.online import messages
from damier.online.http import router
from damier.position import game
from far import Serving

PAGE = (Path(__file__).parent.parent / "docs" / "online.md").read_text("utf-8")


def kinds(union: object, name: str = "kind") -> list[str]:
    """Return the names of what a union is made of."""
    models = get_args(get_args(union)[0])
    return [get_args(model.model_fields[name].annotation)[0] for model in models]


def test_every_event_act_message_and_address_is_named() -> None:
    told = [get_args(model.model_fields["type"].annotation)[0] for model in messages.ANSWERS]
    named = set(re.findall(r"`([a-z-]+)`", PAGE))
    for kind in (*kinds(e.Event), *kinds(e.Act), *kinds(messages.Message, "type"), *told):
        assert kind in named, kind
    bye: type[BaseModel] = messages.Bye
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
    serving = Serving(f"sqlite+aiosqlite:///{tmp_path / 'x.sqlite'}")
    try:
        ada = serving.made("Ada")["secret"]
        terms = {"game": name, "colour": "w", "clock": {"kind": "live", "minutes": 5, "seconds": 1}}
        _, made = serving.ask("games", terms, ada)
        with serving.connect(ada) as line:
            line.say(type="follow", game=made["id"])
            address = f"http://127.0.0.1:{serving.port}/"
            bot = subprocess.Popen(
                [sys.executable, script, address, made["id"]], stdout=subprocess.PIPE, text=True
            )
            line.event("joined")
            play, version = Game(game(name)), 2
            while play.ply < 12 and not play.over:
                turn = play.turns()[len(play.turns()) // 2].text
                line.act(made["id"], "turn", version, turn=turn)
                told = line.event("turn")["event"]
                assert (told["by"], told["turn"]) == ("w", turn)
                play = play.play(turn)
                if not play.over:
                    told = line.event("turn")["event"]
                    assert told["by"] == "b"
                    play, version = play.play(told["turn"]), told["version"]
            if not play.over:
                line.act(made["id"], "resign")
            ended = line.event("ended")["event"]
            said, _ = bot.communicate(timeout=60)
            assert said == f"{ended['winner']} {ended['reason']}\n"
        _, shown = serving.ask(f"games/{made['id']}", get=True)
        assert shown["seats"]["b"]["bot"]
    finally:
        serving.close()
