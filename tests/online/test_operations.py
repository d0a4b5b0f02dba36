"""Server operation: command, metrics, log, backup and the administrator's actions."""

import asyncio
import hashlib
import io
import json
import sqlite3
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest
from starlette.requests import HTTPConnection

from damier.cli import main
from damier.errors import DamierError
from damier.online import logs
from damier.online.backup import backup
from damier.online.metrics import MetricsAccess
from online_load import ClientGroup
from online_players import RequestRejected, ask
from online_servers import free_ports, running_servers

SECRET = "kT3-x_9QmZr7Lw2Vb8Ny5Hd1Jf6Gs4Pa"


# ---- the log -------------------------------------------------------------------------------------


@pytest.fixture
def lines() -> io.StringIO:
    """What is logged, as it is written."""
    written = io.StringIO()
    logs.configure("info", written)
    return written


def test_a_line_of_the_log_is_json_of_bounded_length_without_secrets(lines: io.StringIO) -> None:
    address = f"postgresql://damier:{SECRET[:8]}@host/damier"
    try:
        raise ValueError(f"Bearer {SECRET} at {address} " + "x y " * 5000)
    except ValueError:
        fields = {"route": "/", "given": f"secret={SECRET}", "address": address, "status": 200}
        logs.log.exception(f"refused {SECRET}", extra={"fields": fields})
    line = lines.getvalue()
    entry = json.loads(line)
    assert SECRET not in line
    assert SECRET[:8] not in line
    assert len(line) < 5 * logs.MAX_TEXT_LENGTH
    assert entry["status"] == 200
    assert entry["level"] == "error"
    assert entry["what"] == "refused [hidden]"
    assert entry["address"] == "postgresql://[hidden]@host/damier"
    assert entry["at"].endswith("+00:00")


def test_a_flood_of_log_lines_is_limited_and_counted(
    lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [monotonic()]
    monkeypatch.setattr(logs, "monotonic", lambda: now[0])
    logs.log.info("first")
    lines.truncate(0)
    lines.seek(0)
    for _ in range(10_000):
        logs.log.info("again")
    written = lines.getvalue().splitlines()
    assert len(written) <= logs.MAX_BURST_LINES
    now[0] += 10
    logs.log.info("later")
    entry = json.loads(lines.getvalue().splitlines()[-1])
    assert entry["what"] == "later"
    assert entry["left_out"] == 10_000 - len(written) > 9000


def test_the_level_of_the_log_can_be_chosen(lines: io.StringIO) -> None:
    logs.configure("warning", lines)
    logs.log.info("quiet")
    logs.log.warning("loud")
    assert [json.loads(line)["what"] for line in lines.getvalue().splitlines()] == ["loud"]


# ---- who reads the figures -----------------------------------------------------------------------


def asked(client: str | None, **headers: str) -> HTTPConnection:
    given = [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()]
    address = None if client is None else (client, 1234)
    return HTTPConnection({"type": "http", "client": address, "headers": given})


@pytest.mark.parametrize(
    ("readers", "request_", "admitted"),
    [
        (MetricsAccess(), asked("127.0.0.1"), True),
        (MetricsAccess(), asked("::1"), True),
        (MetricsAccess(), asked("192.0.2.7"), False),
        (MetricsAccess(), asked(None), False),
        (MetricsAccess(), asked("unix"), False),
        # A proxy on this machine that nobody has named passes strangers on.
        (MetricsAccess(), asked("127.0.0.1", x_forwarded_for="192.0.2.7"), False),
        (MetricsAccess(), asked("127.0.0.1", forwarded="for=192.0.2.7"), False),
        (MetricsAccess(), asked("127.0.0.1", via="1.1 proxy"), False),
        # A trusted proxy is believed: the address is then the client's own.
        (MetricsAccess(proxied=True), asked("192.0.2.7", x_forwarded_for="192.0.2.7"), False),
        (MetricsAccess(("192.0.2.0/24",)), asked("192.0.2.7"), True),
        (MetricsAccess(("192.0.2.0/24",)), asked("198.51.100.7"), False),
        (MetricsAccess(token=SECRET), asked("192.0.2.7", authorization=f"Bearer {SECRET}"), True),
        (MetricsAccess(token=SECRET), asked("192.0.2.7", authorization=f"Bearer {SECRET}x"), False),
        (MetricsAccess(token=SECRET), asked("192.0.2.7", authorization="Bearer é"), False),
        (MetricsAccess(token=""), asked("192.0.2.7", authorization="Bearer "), False),
    ],
)
def test_metrics_need_an_allowed_address_or_the_token(
    readers: MetricsAccess, request_: HTTPConnection, admitted: bool
) -> None:
    assert readers.allows(request_) == admitted


# ---- backup --------------------------------------------------------------------------------------


def test_a_backup_is_consistent_while_the_database_is_written(tmp_path: Path) -> None:
    source, target = tmp_path / "online.sqlite", tmp_path / "copy.sqlite"
    with closing(sqlite3.connect(source)) as made:
        made.execute("PRAGMA journal_mode=WAL")
        made.execute("CREATE TABLE pairs (a INTEGER PRIMARY KEY, b TEXT)")
        made.commit()
    stop, wrote, written = threading.Event(), threading.Event(), [0]

    def write() -> None:
        with closing(sqlite3.connect(source, timeout=30)) as connection:
            while not stop.is_set():  # two rows at a time: a copy has both or neither
                row = "x" * 500
                connection.execute("INSERT INTO pairs (b) VALUES (?), (?)", (row, row))
                connection.commit()
                written[0] += 2
                wrote.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3):
            wrote.clear()
            assert wrote.wait(timeout=60)
            before = written[0]
            backup(f"sqlite+aiosqlite:///{source}", target)
            with closing(sqlite3.connect(target)) as copy:
                (count,) = copy.execute("SELECT count(*) FROM pairs").fetchone()
                assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert before <= count
            assert count % 2 == 0
    finally:
        stop.set()
        writer.join()
    assert sorted(p.name for p in tmp_path.iterdir() if "copy" in p.name) == ["copy.sqlite"]


def test_a_failed_backup_leaves_the_old_file(tmp_path: Path) -> None:
    source, target = tmp_path / "broken.sqlite", tmp_path / "copy.sqlite"
    source.write_bytes(b"SQLite format 3\0" + b"no database at all" * 100)
    target.write_text("the backup of yesterday")
    with pytest.raises(DamierError) as refused:
        backup(f"sqlite+aiosqlite:///{source}", target)
    assert refused.value.key == "backup-failed"
    assert target.read_text() == "the backup of yesterday"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_backup_is_not_written_over_the_database(tmp_path: Path) -> None:
    source, link = tmp_path / "online.sqlite", tmp_path / "link"
    source.write_bytes(b"")
    link.symlink_to(source)
    with pytest.raises(DamierError) as refused:
        backup(f"sqlite+aiosqlite:///{source}", link)
    assert refused.value.key == "backup-itself"


# ---- the command ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--database", "mysql://host/base"], "“mysql” is not a supported database"),
        (["--database", "online.sqlite"], "not a supported database"),
        (["--trust-proxy", "proxy.example"], "“proxy.example” is not an address"),
        (["--metrics-for", "300.0.0.1"], "“300.0.0.1” is not an address"),
        (["--public-url", "damier.example"], "“damier.example” is not the address of a page"),
        (["--port", "70000"], "70000 is not a port"),
        (["--backup", "copy", "--database", "sqlite:///nowhere"], "no database in nowhere"),
        (["--backup", "copy", "--close-game", "x"], "not allowed with argument"),
    ],
)
def test_invalid_server_arguments_are_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(["serve", *words])
    except SystemExit as ended:
        status = int(str(ended.code))
    assert status == 2
    assert said in capsys.readouterr().err


def test_a_backup_of_postgresql_names_its_own_program_and_no_password(
    capsys: pytest.CaptureFixture[str],
) -> None:
    address = "postgresql://damier:much-secret@host/games"
    assert main(["serve", "--database", address, "--backup", "copy"]) == 2
    said = capsys.readouterr().err
    assert "pg_dump --format=custom --file=copy 'postgresql://damier@host/games'" in said
    assert "much-secret" not in said


@pytest.mark.parametrize(("language", "word"), [("en", "Install them"), ("fr", "Installez-le")])
def test_a_missing_package_is_named(
    language: str, word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import importlib.util

    found = importlib.util.find_spec
    missing = {"asyncpg"}
    monkeypatch.setattr(
        "damier.cli.serve.find_spec", lambda name: None if name in missing else found(name)
    )
    address = ["--database", "postgresql://host/games"]
    assert main(["serve", "--lang", language, *address]) == 2
    said = capsys.readouterr().err
    assert word in said
    assert 'pip install "damier[postgresql]"' in said
    missing.add("sqlalchemy")
    assert main(["serve", "--lang", language]) == 2
    assert 'pip install "damier[online]"' in capsys.readouterr().err


def test_the_local_page_loads_no_online_code() -> None:
    code = (
        "import sys; from damier.web.app import create_app; from damier.web.server import Server;"
        "import damier.cli.web; Server(create_app()).config.load();"
        "print(*(m for m in sys.modules if m.startswith('damier.online') or m.split('.')[0] in "
        "('sqlalchemy', 'alembic', 'aiosqlite', 'websockets', 'prometheus_client', 'segno')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


# ---- a server that runs --------------------------------------------------------------------------


def fetched(address: str, **headers: str) -> tuple[int, str]:
    """Return the status and the text of an answer."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=given)) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_metrics_and_log_contain_events_but_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAMIER_METRICS_TOKEN", SECRET)
    log = tmp_path / "log"
    database = f"sqlite:///{tmp_path / 'new' / 'online.sqlite'}"

    async def play(address: str) -> tuple[list[str], str]:
        crowd = ClientGroup()
        await crowd.enter([address], 1, 1)
        (game,) = crowd.tables
        for _ in range(3):
            await game.step(0)
        with pytest.raises(RequestRejected):
            await game.w.act(game.game, {"kind": "turn", "turn": "z9-z9"})
        with pytest.raises(RequestRejected):
            await ask(address, "GET", f"/api/v1/online/games/{SECRET[:16]}", secret=SECRET)
        _, figures = await asyncio.to_thread(fetched, f"{address}/metrics")
        secrets = [str(player.secret) for player in crowd.players]
        await crowd.leave()
        return [*secrets, game.game], figures

    with running_servers(database, free_ports(1), log=log) as (server,):
        hidden, figures = asyncio.run(play(server.address))
        assert fetched(f"{server.address}/metrics", X_Forwarded_For="192.0.2.7")[0] == 404
        forwarded = {"X_Forwarded_For": "192.0.2.7", "Authorization": f"Bearer {SECRET}"}
        assert fetched(f"{server.address}/metrics", **forwarded)[0] == 200
        server.stop()
    metrics = {line.split()[0]: float(line.split()[1]) for line in _figures(figures)}
    assert metrics['damier_acts_total{kind="turn",outcome="done"}'] == 3
    assert metrics['damier_acts_total{kind="turn",outcome="refused"}'] == 1
    assert metrics["damier_act_seconds_count"] == 3
    assert metrics["damier_sockets"] == 3
    assert metrics["damier_players"] == 2
    assert metrics["damier_games_followed"] == 1
    assert metrics['damier_messages_total{way="in"}'] > 6
    assert metrics["process_resident_memory_bytes"] > 1e7
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["what"] for line in lines if len(line) == 3] == ["serving", "stopping", "stopped"]
    joined = next(line for line in lines if str(line.get("route")).endswith("/join"))
    assert joined["status"] == 200
    assert joined["method"] == "POST"
    assert joined["route"] == "/api/v1/online/games/{game}/join"
    assert joined["address"] == "127.1.0.2"
    assert {line["what"] for line in lines} >= {"request", "socket"}
    hashes = [hashlib.sha256(secret.encode()).hexdigest() for secret in hidden]
    for text in (figures, log.read_text()):
        assert not [one for one in (*hidden, *hashes, SECRET) if one in text]


def _figures(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]
