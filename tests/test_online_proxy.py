"""A server behind a real nginx, set up as docs/host.md says; and the service that it describes."""

import asyncio
import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

import damier
from online_servers import Process, free_ports, serving
from postgres import missing

DOCS = Path(__file__).parent.parent / "docs"
API = "/api/v1/online/"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def block(language: str, document: str = "host.md") -> str:
    """Return the one block of a document that is written in a language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", (DOCS / document).read_text("utf-8"), re.S)
    return str(found)


@dataclass
class Site:
    """A server, the proxy before it, and what the server logs."""

    server: Process
    port: int  # of the proxy, for https
    plain: int  # for http
    log: Path

    @property
    def host(self) -> str:
        return f"damier.example:{self.port}"

    def ask(
        self, method: str, path: str, body: Any = None, address: str = "127.0.0.9", **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Return the answer to a request by https, made from an address."""
        trusting = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, context=trusting, source_address=(address, 0), timeout=30
        )
        given = {"Host": self.host, **{k.replace("_", "-"): v for k, v in headers.items()}}
        if body is not None:
            given["Content-Type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body), given)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, text

    def socket(self, origin: str | None = None) -> connect:
        """Return a WebSocket by https."""
        return connect(
            f"wss://{self.host}{API}socket", host="127.0.0.1", port=self.port,
            ssl=ssl._create_unverified_context(), origin=origin, proxy=None,  # type: ignore[arg-type]
        )  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if NGINX is None or shutil.which("openssl") is None:
        missing("nginx")
    folder = tmp_path_factory.mktemp("proxy")
    behind, port, plain = free_ports(3)
    log = folder / "log"
    words = re.search(r"^ExecStart=\S+ serve (.*)$", block("ini"), re.M)
    assert words is not None
    options = words[1].replace("damier.example", f"damier.example:{port}").split()
    del options[options.index("--port") : options.index("--port") + 2]
    configure(folder, behind, port, plain)
    database = f"sqlite:///{folder / 'online.sqlite'}"
    with serving(database, [behind], *options, log=log) as (server,):
        assert NGINX is not None
        proxy = subprocess.Popen([NGINX, "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"])
        try:
            found = Site(server, port, plain, log)
            wait_for(found)
            yield found
        finally:
            proxy.terminate()
            proxy.wait(10)


def configure(folder: Path, behind: int, port: int, plain: int) -> None:
    """Write the document's configuration, with ports and a certificate of the test's own."""
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-nodes", "-subj", "/CN=damier.example"),
            *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-keyout", folder / "key", "-out", folder / "cert"),
        ],
        check=True,
        capture_output=True,
    )
    text = block("nginx")
    for old, new in (
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("127.0.0.1:8001", f"127.0.0.1:{behind}"),
        ("/etc/letsencrypt/live/damier.example/fullchain.pem", str(folder / "cert")),
        ("/etc/letsencrypt/live/damier.example/privkey.pem", str(folder / "key")),
    ):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder / kind};\n" for kind in kinds)
    user = "user root;\n" if os.getuid() == 0 else ""
    around = f"{user}daemon off;\npid {folder / 'pid'};\nerror_log stderr;\nevents {{}}\n"
    whole = f"{around}http {{\naccess_log off;\n{places}{text}}}\n"
    (folder / "nginx.conf").write_text(whole)


def wait_for(site: Site) -> None:
    """Wait until the proxy passes on what is asked."""
    for _ in range(200):
        try:
            if site.ask("GET", "/healthz")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.05)
    pytest.fail("the proxy does not answer")


def test_both_documents_have_the_same_set_up() -> None:
    for language in ("ini", "nginx"):
        assert block(language) == block(language, "host.fr.md")


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze")
    unit = tmp_path / "damier@.service"
    unit.write_text(block("ini").replace("/opt/damier/bin/damier", sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", tmp_path / "damier@8001.service"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_s_command_is_one_that_damier_takes() -> None:
    words = re.search(r"^ExecStart=\S+ (.*)$", block("ini"), re.M)
    assert words is not None
    code = "import sys; from damier.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [*words[1].replace("%i", "8001").split(), "--backup", "/nowhere/at/all"]
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "no database" in done.stderr  # it has read the rest


def test_the_page_comes_through_with_its_headers(site: Site) -> None:
    status, headers, text = site.ask("GET", "/")
    assert status == 200
    assert "<title>" in text
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    plain = http.client.HTTPConnection("127.0.0.1", site.plain)
    plain.request("GET", "/", headers={"Host": "damier.example"})
    answer = plain.getresponse()
    assert answer.status == 301
    assert answer.headers["Location"] == "https://damier.example/"
    plain.close()


def test_another_name_is_not_this_server_s(site: Site) -> None:
    assert site.ask("GET", "/", Host="elsewhere.example")[0] == 421


def test_the_figures_are_not_for_the_world(site: Site) -> None:
    assert site.ask("GET", "/metrics")[0] == 404
    direct = http.client.HTTPConnection("127.0.0.1", int(site.server.address.rpartition(":")[2]))
    for headers, status in (({}, 200), ({"X-Forwarded-For": "192.0.2.7"}, 404)):
        direct.request("GET", "/metrics", headers=headers)
        answer = direct.getresponse()
        answer.read()
        assert answer.status == status
    direct.close()


def test_the_server_knows_from_where_it_is_asked(site: Site) -> None:
    """By the proxy's word: what an asker says of himself is not passed on."""
    asked = {"name": "Ana"}
    path = f"{API}identities"
    site.ask("POST", path, asked, "127.0.0.77", X_Forwarded_For="198.51.100.1")
    found: list[str] = []
    while not found:  # the line is written when the answer has been
        lines = [json.loads(line) for line in site.log.read_text().splitlines()]
        found = [line["address"] for line in lines if line.get("route") == path]
    assert found == ["127.0.0.77"]


def test_links_are_those_of_the_public_address(site: Site) -> None:
    for text, status in ((f"https://{site.host}/#/play/x", 200), ("https://evil.example/", 400)):
        assert site.ask("POST", f"{API}qr", {"text": text})[0] == status


async def talk(socket: ClientConnection, **message: Any) -> None:
    await socket.send(json.dumps(message))


async def heard(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """Return the next message of a kind."""
    async with asyncio.timeout(30):
        while True:
            message: dict[str, Any] = json.loads(await socket.recv())
            assert message["type"] != "refused", message
            if message["type"] == kind:
                return message


def test_a_game_is_played_through_the_proxy_and_goes_on_after_a_restart(site: Site) -> None:
    def identity(name: str) -> str:
        _, _, text = site.ask("POST", f"{API}identities", {"name": name})
        return str(json.loads(text)["secret"])

    white, black = identity("Ana"), identity("Rivo")
    bearer = {"Authorization": f"Bearer {white}", "Origin": f"https://{site.host}"}
    terms = {"game": "chefa", "colour": "w"}
    status, _, text = site.ask("POST", f"{API}games", terms, **bearer)
    assert status == 200
    game = json.loads(text)["id"]
    assert (
        site.ask("POST", f"{API}games/{game}/join", {}, Authorization=f"Bearer {black}")[0] == 200
    )

    turn = damier.game("chefa").start().turns()[0].text

    async def play() -> None:
        async with site.socket(f"https://{site.host}") as w, site.socket() as b:
            for socket, secret in ((w, white), (b, black)):
                await talk(socket, type="hello", secret=secret, language="fr")
                await talk(socket, type="follow", game=game, version=None)
                shown = (await heard(socket, "game"))["game"]
            act = {"kind": "turn", "turn": turn}
            version = shown["version"]
            await talk(w, type="act", game=game, id="one", version=version, act=act)
            assert (await heard(w, "done"))["version"] == version + 1
            assert (await heard(b, "event"))["event"]["turn"] == turn
            stopped = asyncio.create_task(asyncio.to_thread(site.server.stop))
            assert (await heard(w, "bye"))["reason"] == "restart"
            await stopped
        assert (await asyncio.to_thread(site.ask, "GET", "/healthz"))[0] == 502
        await asyncio.to_thread(site.server.start)
        await asyncio.to_thread(wait_for, site)
        async with site.socket() as b:
            await talk(b, type="hello", secret=black, language="en")
            await talk(b, type="follow", game=game, version=None)
            assert (await heard(b, "game"))["game"]["turns"] == [turn]

    asyncio.run(play())


def test_a_page_of_another_site_opens_no_socket(site: Site) -> None:
    async def knock() -> int:
        with pytest.raises(InvalidStatus) as refused:
            async with site.socket("https://evil.example"):
                pass
        return refused.value.response.status_code

    assert asyncio.run(knock()) == 403
