"""A server of online play that can be killed, a cable that can be cut, people who play there."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from playwright.sync_api import Page, expect

import damier
from browser.player import Json, opened, play_turn, settle
from damier.history import Game

# `damier serve`, with room for more visits than one address may make.
COMMAND = """
import sys
from damier.cli import main
from damier.online import limits

rates = {name: limits.Rate(1e6, 1e6) for name in limits.RATES}
limits.RATES.update(rates)
main(["serve", "--port", sys.argv[1], "--database", sys.argv[2], "--log-level", "error"])
"""


expect.set_options(timeout=20_000)  # several browsers and a server share a machine


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Hall:
    """The server, in a process of its own, on one port for all its lives."""

    def __init__(self, directory: Path) -> None:
        self.port, self.database = free_port(), directory / "online.sqlite"
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        arguments = [str(self.port), f"sqlite:///{self.database}"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *arguments], stdout=subprocess.DEVNULL
        )
        for _ in range(300):
            try:
                self.call("lobby")
                return
            except (URLError, ConnectionError):
                time.sleep(0.1)
        raise AssertionError("the server does not start")

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.wait(20)

    def call(self, path: str, body: Json | None = None, secret: str = "") -> Any:
        """Ask the interface something, as a program would."""
        headers = {"Content-Type": "application/json"}
        if secret:
            headers["Authorization"] = f"Bearer {secret}"
        data = None if body is None else json.dumps(body).encode()
        asked = Request(f"{self.address}/api/v1/online/{path}", data, headers)
        with urlopen(asked, timeout=10) as answer:
            return json.load(answer)

    def turns(self, page: Page) -> list[str]:
        """Return the turns that the server has of the game on a page."""
        found: list[str] = self.call(f"games/{game_id(page)}")["turns"]
        return found


class Cable:
    """A way to the server that can be cut: whoever uses it loses the network, and nobody else."""

    def __init__(self, port: int) -> None:
        self.to = port
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.whole = True
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()

        async def listen() -> None:
            self._server = await asyncio.start_server(self._carry, "127.0.0.1", self.port)
            ready.set()

        self._loop.create_task(listen())
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        ready.wait(10)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.whole:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self.to)
        self._open |= {writer, back}
        if not self.whole:  # cut meanwhile
            back.transport.abort()

        async def pipe(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            try:
                while data := await source.read(65536):
                    target.write(data)
                    await target.drain()
            except (ConnectionError, RuntimeError):
                pass
            target.close()
            self._open.discard(target)

        await asyncio.gather(pipe(reader, back), pipe(there, writer))

    def cut(self) -> None:
        self.whole = False

        def abort() -> None:
            for writer in list(self._open):
                writer.transport.abort()

        self._loop.call_soon_threadsafe(abort)

    def mend(self) -> None:
        self.whole = True

    def end(self) -> None:
        self.cut()

        def stop() -> None:
            self._server.close()
            self._loop.call_later(0.2, self._loop.stop)

        self._loop.call_soon_threadsafe(stop)
        self._thread.join(10)
        self._loop.close()


def game_id(page: Page) -> str:
    found: str = page.evaluate("location.hash.split('/')[2].split('?')[0]")
    return found


def named(page: Page, name: str) -> None:
    """Give a new visitor an identity, as the page would."""
    page.evaluate(
        """async (name) => {
            const made = await (await fetch('api/v1/online/identities', {
                method: 'POST',
                headers: {'Content-Type': 'application/json'},
                body: JSON.stringify({ name }),
            })).json();
            localStorage.setItem('damier.identity', JSON.stringify(made));
            localStorage.setItem('damier.settings', JSON.stringify({ named: true }));
        }""",
        name,
    )


def kept(page: Page) -> str:
    """Return the identity that a browser keeps, as text."""
    found: str = page.evaluate("localStorage.getItem('damier.identity')")
    return found


def secret_of(page: Page) -> str:
    secret: str = json.loads(kept(page))["secret"]
    return secret


def sit_down(hall: Hall, white: Page, black: Page, **terms: Any) -> str:
    """Let two people sit down at a new table; return its link."""
    for page, name in ((white, "Anna"), (black, "Boris")):
        if page.url == "about:blank":
            opened(page, "#/lobby")
            named(page, name)
    usual = {"game": "chefa", "colour": "w", "clock": {"kind": "live", "minutes": 10, "seconds": 5}}
    made = hall.call("games", {**usual, **terms}, secret_of(white))
    link = f"#/online/{made['id']}"
    opened(white, link)
    expect(white.locator(".waiting")).to_be_visible()
    opened(black, link)
    if terms.get("rated"):
        black.click(".join .main")
    for page in (white, black):
        expect(page.locator(".play.online .board")).to_be_visible()
    return link


def shown_turns(page: Page) -> list[str]:
    """Return the turns in the list, without their numbers."""
    return [text.split(".", 1)[1] for text in page.locator(".turns > .turn").all_text_contents()]


def expect_turns(page: Page, turns: list[str]) -> None:
    texts = [f"{k}.{turn}" for k, turn in enumerate(turns, 1)]
    expect(page.locator(".turns > .turn")).to_have_text(texts)


def typed(page: Page, turn: str) -> None:
    """Type a turn when it is asked for."""
    page.wait_for_selector(".cell.can, .end-turn", state="attached")
    page.fill(".typed input", turn)
    page.press(".typed input", "Enter")


def clicked(page: Page, game: Json, turn: str) -> None:
    """Play a turn on the board when it is asked for."""
    page.wait_for_selector(".cell.can, .end-turn", state="attached")
    settle(page)
    play_turn(page, turn, found=game)


def movers(name: str, turns: list[str]) -> list[str]:
    """Return who plays each turn of a game: sides need not alternate."""
    played, sides = Game(damier.game(name).start()), []
    for turn in turns:
        sides.append(str(played.position.side))
        played = played.play(turn)
    return sides


def play(white: Page, black: Page, turns: list[str], already: int = 0) -> None:
    """Type turns, White's and Black's in turn; wait until both see each."""
    for k, turn in enumerate(turns, already):
        typed((white, black)[k % 2], turn)
        for page in (white, black):
            expect(page.locator(".turns > .turn").nth(k)).to_contain_text(turn)
