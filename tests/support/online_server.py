"""An online server that can be killed, a network link that can be cut, and players."""

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
from damier.gameplay import Game
from tests.support.page_driver import Json, open_page, play_move, settle

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


class OnlineServer:
    """An online server in its own process; it restarts on the same port."""

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

    def moves(self, page: Page) -> list[str]:
        """Return the moves that the server has of the game on a page."""
        found: list[str] = self.call(f"games/{game_id(page)}")["turns"]
        return found


class CuttableProxy:
    """A TCP proxy to the server that can be cut for its clients only."""

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


def give_identity(page: Page, name: str) -> None:
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


def stored_identity(page: Page) -> str:
    """Return the identity that a browser keeps, as text."""
    found: str = page.evaluate("localStorage.getItem('damier.identity')")
    return found


def secret_of(page: Page) -> str:
    secret: str = json.loads(stored_identity(page))["secret"]
    return secret


def start_game(online_server: OnlineServer, white: Page, black: Page, **terms: Any) -> str:
    """Let two people join a new game; return its link."""
    for page, name in ((white, "Anna"), (black, "Boris")):
        if page.url == "about:blank":
            open_page(page, "#/lobby")
            give_identity(page, name)
    usual = {"game": "chefa", "colour": "w", "clock": {"kind": "live", "minutes": 10, "seconds": 5}}
    made = online_server.call("games", {**usual, **terms}, secret_of(white))
    link = f"#/online/{made['id']}"
    open_page(white, link)
    expect(white.locator(".waiting")).to_be_visible()
    open_page(black, link)
    if terms.get("rated"):
        black.click(".join .main")
    for page in (white, black):
        expect(page.locator(".play.online .board")).to_be_visible()
    return link


def shown_moves(page: Page) -> list[str]:
    """Return the moves in the list, without their numbers."""
    return [text.split(".", 1)[1] for text in page.locator(".turns > .turn").all_text_contents()]


def expect_moves(page: Page, moves: list[str]) -> None:
    texts = [f"{k}.{move}" for k, move in enumerate(moves, 1)]
    expect(page.locator(".turns > .turn")).to_have_text(texts)


def type_move(page: Page, move: str) -> None:
    """Type a move when the page asks for it."""
    page.wait_for_selector(".cell.selectable, .end-turn", state="attached")
    page.fill(".typed input", move)
    page.press(".typed input", "Enter")


def click_move(page: Page, game: Json, move: str) -> None:
    """Play a move on the board when the page asks for it."""
    page.wait_for_selector(".cell.selectable, .end-turn", state="attached")
    settle(page)
    play_move(page, move, found=game)


def movers(name: str, moves: list[str]) -> list[str]:
    """Return who plays each move of a game: sides need not alternate."""
    played, sides = Game(damier.load_rules(name).start()), []
    for move in moves:
        sides.append(str(played.position.side))
        played = played.play(move)
    return sides


def play(white: Page, black: Page, moves: list[str], already: int = 0) -> None:
    """Type moves, White's and Black's in turn; wait until both see each."""
    for k, move in enumerate(moves, already):
        type_move((white, black)[k % 2], move)
        for page in (white, black):
            expect(page.locator(".turns > .turn").nth(k)).to_contain_text(move)
