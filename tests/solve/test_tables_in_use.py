"""Tables that are truncated, overwritten or replaced while in use: no crash, no wrong value."""

import json
import os
import random
import time
from base64 import b85encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest

import damier
from damier import DamierError, Game
from damier.position import Position, Rules
from damier.solve import probe_moves, retrograde, tables
from damier.solve.tables import file, table
from damier.web.engine import describe_probe
from tests.support.rulesets import random_game
from tests.support.table_files import join_table, split_table
from tests.web.test_server import started

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rules() -> Rules:
    return damier.load_rules("fanorona", board="3x5")


@pytest.fixture(scope="module")
def content(rules: Rules) -> bytes:
    """A table of several blocks, in a file that is too big to be kept in memory."""
    header, payload = split_table(retrograde.content(retrograde.solve(rules, 8)))
    assert len(header["arrays"][0]["ends"]) > 3
    header["note"] = b85encode(random.Random(1).randbytes(file.MAX_RESIDENT_BYTES)).decode()
    return join_table(header, payload)


@pytest.fixture
def place(rules: Rules, content: bytes) -> Iterator[Path]:
    path = tables.tables_directory() / tables.file_name(rules, 8)
    tables.write(path, content)
    tables.clear_table_cache()
    yield path
    tables.clear_table_cache()


def cut(path: Path, content: bytes) -> None:
    os.truncate(path, 100)


def written_over(path: Path, content: bytes) -> None:
    with path.open("r+b") as opened:
        opened.write(random.Random(2).randbytes(len(content)))


def shifted(path: Path, content: bytes) -> None:
    """Write a good table over a good one, in place: its blocks are good ones of other positions."""
    header, payload = split_table(content)
    ends = header["arrays"][0]["ends"]
    with path.open("r+b") as opened:
        opened.seek(len(content) - len(payload))
        opened.write((payload[ends[0] : ends[1]] * (len(payload) // 100))[: len(payload)])


def low_positions(rules: Rules) -> list[Position]:
    """Return positions that the table holds."""
    found = []
    for seed in range(12):
        played = [p for p in random_game(rules, seed, max_moves=60).positions if p.result() is None]
        found += [p for p in played if (p.white | p.black).bit_count() <= 8][:2]
    return found


changes = pytest.mark.parametrize("change", [cut, written_over, shifted])
Change = Callable[[Path, bytes], None]


@changes
def test_a_changed_block_is_refused(
    change: Change, rules: Rules, content: bytes, place: Path
) -> None:
    values = retrograde.solution_of(tables.Table.open(place, rules)).arrays["values"]
    opened = tables.Table.open(place, rules)
    blocks = opened.arrays["values"]
    assert blocks[3] == values[3]
    change(place, content)
    right, refused = 0, 0
    for number in range(0, len(values), 1999):
        try:
            assert blocks[number] == values[number]
            right += 1
        except DamierError as error:
            assert error.key == "table-changed"
            assert str(place) in str(error)
            refused += 1
    assert right > 0  # the first block was unpacked before
    assert refused > 0
    assert opened.lost
    with pytest.raises(DamierError, match="while it was in use"):
        blocks.array()


def test_unpacked_blocks_remain_valid(rules: Rules, content: bytes, place: Path) -> None:
    opened = tables.Table.open(place, rules)
    before = opened.arrays["values"].array().copy()
    cut(place, content)
    assert np.array_equal(opened.arrays["values"].array(), before)
    assert not opened.lost


def test_a_small_table_survives_changes_of_its_file(tmp_path: Path) -> None:
    rules = damier.load_rules("fraha")
    path = tmp_path / "fraha.table"
    data = (rules.folder.tables / "fraha.table").read_bytes()
    path.write_bytes(data)
    opened = tables.Table.open(path, rules)
    os.truncate(path, 0)
    whole = tables.Table.open(rules.folder.tables / "fraha.table", rules).arrays["values"].array()
    assert np.array_equal(opened.arrays["values"].array(), whole)


@changes
def test_changed_files_are_searched_again(
    change: Change, rules: Rules, content: bytes, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "CHECK_INTERVAL_S", 0)
    first = tables.find(rules)
    assert first is not None
    assert tables.find(rules) is first
    change(place, content)
    with pytest.warns(UserWarning, match=str(place)):
        assert tables.find(rules) is first  # what of it is still good is used
    with pytest.raises(DamierError, match="while it was in use"):
        first.kernel()
    with pytest.warns(UserWarning, match=str(place)):
        assert tables.find(rules) is None
    assert tables.find(rules) is None
    tables.write(place, content)
    again = tables.find(rules)
    assert again is not None
    assert again is not first
    place.unlink()
    assert tables.find(rules) is None


def test_a_new_table_is_found(
    rules: Rules, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "CHECK_INTERVAL_S", 0)
    tables.clear_table_cache()
    assert tables.find(rules) is None
    tables.write(tables.tables_directory() / tables.file_name(rules, 8), content)
    assert tables.find(rules) is not None
    tables.clear_table_cache()


def test_the_number_of_open_tables_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_OPEN", 3)
    cache = table.TableCache()
    for name in damier.GAMES:
        cache.find(damier.load_rules(name))
    assert len(cache._found) == 3


# ---- a real server -----------------------------------------------------------------------------


def asked(address: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
    request = Request(
        f"{address}api/v1/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urlopen(request, timeout=120) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_a_server_survives_a_truncated_table(rules: Rules, content: bytes, place: Path) -> None:
    """Every answer is right or says why there is none; with the table back all are right again."""
    positions = low_positions(rules)
    assert len(positions) > 8
    right = [describe_probe(Game(position)) for position in positions]
    assert all(right)
    server, address = started("--port", "8911")
    with server:

        def answers() -> list[tuple[int, Any]]:
            found = []
            for position in positions:
                body = {"game": rules.name, "options": dict(rules.changed), "start": str(position)}
                found.append(asked(address, "probe", body))
            for (status, said), expected in zip(found, right, strict=True):
                if status == 200:
                    assert said == expected
                else:
                    assert status in (404, 503)
                    assert said["error"]["message"]
            return found

        try:
            assert asked(address, "probe", {"game": "fraha"})[0] == 200
            body = {"game": rules.name, "options": dict(rules.changed), "start": str(positions[0])}
            assert asked(address, "probe", body)[0] == 200
            for change in (cut, written_over, shifted):
                change(place, content)
                for _ in range(3):
                    answers()
                move = asked(address, "move", {**body, "level": 3, "seed": 1})
                assert move[0] == 200
                time.sleep(table.CHECK_INTERVAL_S + 0.2)
                answers()
                tables.write(place, content)
                time.sleep(table.CHECK_INTERVAL_S + 0.2)
                assert [status for status, _ in answers()] == [200] * len(positions)
            with urlopen(f"{address}healthz", timeout=20) as health:
                assert json.load(health)["ok"]
        finally:
            server.terminate()
        _, errors = server.communicate(timeout=60)
    assert "Traceback" not in errors
    assert "Bus error" not in errors


def test_moves_are_ranked_without_a_lost_table(rules: Rules, content: bytes, place: Path) -> None:
    """A second request after a refusal is answered, without the table."""
    game = Game(low_positions(rules)[0])
    assert tables.find(rules) is not None
    cut(place, content)
    with pytest.raises(DamierError, match="while it was in use"):
        probe_moves(game)
    with pytest.warns(UserWarning, match=str(place)):
        assert probe_moves(game) == []
