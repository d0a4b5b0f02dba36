"""`damier serve --lan`: address and QR code for the devices in the local network."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
import segno

from damier.cli.serve import lan_address, qr_code
from damier.errors import DamierError
from tests.support.online_server import free_port

SERVE = "import sys; from damier.cli import main; sys.exit(main(sys.argv[1:]))"


def test_the_code_is_that_of_the_address() -> None:
    address = "http://192.0.2.7:8000/"
    size = segno.make(address, error="l").symbol_size(border=4)[1]
    rows = qr_code(address).strip("\n").splitlines()
    assert len(rows) == (size + 1) // 2  # a line of the terminal shows two rows
    assert qr_code(address) != qr_code("http://192.0.2.8:8000/")


def test_other_devices_reach_the_printed_address(tmp_path: Path) -> None:
    try:
        host = lan_address()
    except DamierError:
        pytest.skip("this machine is in no network")
    port = free_port()
    words = [
        "serve",
        "--lan",
        "--port",
        str(port),
        "--database",
        f"sqlite:///{tmp_path}/lan.sqlite",
    ]
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, "--lang", "en", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        address = f"http://{host}:{port}/"
        printed = ""
        for line in server.stdout:
            printed += line
            if line.startswith("Scan the code"):
                break
        assert f"The page is at {address}" in printed
        assert qr_code(address).strip("\n") in printed
        with urlopen(f"{address}api/v1/games", timeout=20) as answer:
            games = json.load(answer)
        assert games["online"] is True
        assert games["public"] == address  # what the page puts in links
        server.send_signal(signal.SIGTERM)


def test_a_machine_without_a_network_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Socket:
        def __enter__(self) -> "Socket":
            return self

        def __exit__(self, *_: object) -> None: ...

        def connect(self, _: object) -> None:
            raise OSError(101, "Network is unreachable")

    monkeypatch.setattr("damier.cli.serve.socket.socket", lambda *_: Socket())
    with pytest.raises(DamierError) as raised:
        lan_address()
    assert raised.value.key == "no-network"
