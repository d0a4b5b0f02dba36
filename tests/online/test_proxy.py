"""A server behind a real nginx and systemd unit, configured as docs/host.md says."""

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
from online_servers import ServerProcess, free_ports, running_servers
from tests.support.databases import skip_missing

pytestmark = pytest.mark.slow

USUAL_ADDRESS = "127.0.0.9"  # of clients
DOCS = Path(__file__).parents[2] / "docs"
API = "/api/v1/online/"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def block(language: str, document: str = "host.md") -> str:
    """Return the only code block of a document in a language, such as `nginx`."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", (DOCS / document).read_text("utf-8"), re.S)
    return str(found)


@dataclass
class Site:
    """A server, the proxy in front of it, and the log file of the server."""

    server: ServerProcess
    port: int  # of the proxy, for https
    plain: int  # for http
    log: Path

    @property
    def host(self) -> str:
        return f"damier.example:{self.port}"

    def ask(
        self, method: str, path: str, body: Any = None, address: str = USUAL_ADDRESS, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Send a request by HTTPS from an address; return status, headers and body."""
        unverified = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, context=unverified, source_address=(address, 0), timeout=30
        )
        sent_headers = {"Host": self.host, **{k.replace("_", "-"): v for k, v in headers.items()}}
        if body is not None:
            sent_headers["Content-Type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body), sent_headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, text

    def socket(self, origin: str | None = None) -> connect:
        """Return a WebSocket connection by HTTPS."""
        return connect(
            f"wss://{self.host}{API}socket",
            host="127.0.0.1",
            port=self.port,
            ssl=ssl._create_unverified_context(),
            origin=origin,  # type: ignore[arg-type]  # a NewType of str
            proxy=None,
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if NGINX is None or shutil.which("openssl") is None:
        skip_missing("nginx")
    folder = tmp_path_factory.mktemp("proxy")
    server_port, port, plain = free_ports(3)
    log = folder / "log"
    words = re.search(r"^ExecStart=\S+ serve (.*)$", block("ini"), re.M)
    assert words is not None
    options = words[1].replace("damier.example", f"damier.example:{port}").split()
    del options[options.index("--port") : options.index("--port") + 2]
    configure(folder, server_port, port, plain)
    database = f"sqlite:///{folder / 'online.sqlite'}"
    with running_servers(database, [server_port], *options, log=log) as (server,):
        assert NGINX is not None
        proxy = subprocess.Popen([NGINX, "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"])
        try:
            found = Site(server, port, plain, log)
            wait_for(found)
            yield found
        finally:
            proxy.terminate()
            proxy.wait(10)


def configure(folder: Path, server_port: int, port: int, plain: int) -> None:
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
        ("127.0.0.1:8001", f"127.0.0.1:{server_port}"),
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
    """Wait until the proxy forwards requests."""
    for _ in range(200):
        try:
            if site.ask("GET", "/healthz")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.05)
    pytest.fail("the proxy does not respond")


def test_both_documents_have_the_same_set_up() -> None:
    for language in ("ini", "nginx"):
        assert block(language) == block(language, "host.fr.md")


def test_the_unit_is_valid_for_systemd(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze")
    unit = tmp_path / "damier@.service"
    unit.write_text(block("ini").replace("/opt/damier/bin/damier", sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", tmp_path / "damier@8001.service"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_command_of_the_unit_is_valid() -> None:
    words = re.search(r"^ExecStart=\S+ (.*)$", block("ini"), re.M)
    assert words is not None
    code = "import sys; from damier.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [*words[1].replace("%i", "8001").split(), "--backup", "/nowhere/at/all"]
    done = subprocess.run(
        [sys.executable, "-c", code, *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "no database" in done.stderr  # so all other arguments are valid


def test_the_proxy_preserves_headers(site: Site) -> None:
    status, headers, text = site.ask("GET", "/")
    assert status == 200
    assert "<title>" in text
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    plain = http.client.HTTPConnection("127.0.0.1", site.plain)
    plain.request("GET", "/", headers={"Host": "damier.example"})
    response = plain.getresponse()
    assert response.status == 301
    assert response.headers["Location"] == "https://damier.example/"
    plain.close()


def test_other_host_names_are_refused(site: Site) -> None:
    assert site.ask("GET", "/", Host="elsewhere.example")[0] == 421


def test_the_metrics_are_not_public(site: Site) -> None:
    assert site.ask("GET", "/metrics")[0] == 404
    direct = http.client.HTTPConnection("127.0.0.1", int(site.server.address.rpartition(":")[2]))
    for headers, status in (({}, 200), ({"X-Forwarded-For": "192.0.2.7"}, 404)):
        direct.request("GET", "/metrics", headers=headers)
        response = direct.getresponse()
        response.read()
        assert response.status == status
    direct.close()


def test_the_server_knows_the_client_address(site: Site) -> None:
    """The proxy sets the address; the client's own header is not passed on."""
    body = {"name": "Ana"}
    path = f"{API}identities"
    site.ask("POST", path, body, "127.0.0.77", X_Forwarded_For="198.51.100.1")
    found: list[str] = []
    while not found:  # the log line is written after the response
        lines = [json.loads(line) for line in site.log.read_text().splitlines()]
        created = [line["address"] for line in lines if line.get("route") == path]
        found = [address for address in created if address != USUAL_ADDRESS]  # of other tests
    assert found == ["127.0.0.77"]


def test_links_are_those_of_the_public_address(site: Site) -> None:
    for text, status in ((f"https://{site.host}/#/play/x", 200), ("https://evil.example/", 400)):
        assert site.ask("POST", f"{API}qr", {"text": text})[0] == status


async def talk(socket: ClientConnection, **message: Any) -> None:
    await socket.send(json.dumps(message))


async def next_message(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """Return the next message of a kind."""
    async with asyncio.timeout(30):
        while True:
            message: dict[str, Any] = json.loads(await socket.recv())
            assert message["type"] != "refused", message
            if message["type"] == kind:
                return message


def test_a_game_is_played_through_the_proxy_and_continues_after_a_restart(site: Site) -> None:
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

    move = damier.load_rules("chefa").start().legal_moves()[0].text

    async def play() -> None:
        async with site.socket(f"https://{site.host}") as w, site.socket() as b:
            for socket, secret in ((w, white), (b, black)):
                await talk(socket, type="hello", secret=secret, language="fr")
                await talk(socket, type="follow", game=game, version=None)
                shown = (await next_message(socket, "game"))["game"]
            act = {"kind": "turn", "turn": move}
            version = shown["version"]
            await talk(w, type="act", game=game, id="one", version=version, act=act)
            assert (await next_message(w, "done"))["version"] == version + 1
            assert (await next_message(b, "event"))["event"]["turn"] == move
            stopped = asyncio.create_task(asyncio.to_thread(site.server.stop))
            assert (await next_message(w, "bye"))["reason"] == "restart"
            await stopped
        assert (await asyncio.to_thread(site.ask, "GET", "/healthz"))[0] == 502
        await asyncio.to_thread(site.server.start)
        await asyncio.to_thread(wait_for, site)
        async with site.socket() as b:
            await talk(b, type="hello", secret=black, language="en")
            await talk(b, type="follow", game=game, version=None)
            assert (await next_message(b, "game"))["game"]["turns"] == [move]

    asyncio.run(play())


def test_a_page_of_another_site_opens_no_websocket(site: Site) -> None:
    async def refused_status() -> int:
        with pytest.raises(InvalidStatus) as refused:
            async with site.socket("https://evil.example"):
                pass
        return refused.value.response.status_code

    assert asyncio.run(refused_status()) == 403
