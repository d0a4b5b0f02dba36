"""Malformed files are refused as a DamierError: tables, and parts of interrupted runs."""

import hashlib
import json
import os
import random
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import damier
from damier import DamierError
from damier.cli import main
from damier.solve import retrograde, tables
from damier.solve.retrograde.checkpoints import Checkpoints
from tests.support.table_files import (
    TABLES,
    WRONG_VALUES,
    check_table,
    join_table,
    malformed_table,
    rules_of,
    split_table,
    valid_table,
)

pytestmark = pytest.mark.slow

REFUSALS = {
    "table-foreign",
    "table-damaged",
    "table-format",
    "table-rules",
    "table-outdated",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_good_table_is_not_refused(name: str, tmp_path: Path) -> None:
    assert check_table(name, valid_table(name), tmp_path / "some.table") is None


@pytest.mark.parametrize("name", TABLES)
def test_randomly_damaged_files(name: str, tmp_path: Path) -> None:
    refused: dict[str | None, int] = {}
    for seed in range(400):
        key = check_table(name, malformed_table(name, seed), tmp_path / "some.table")
        refused[key] = refused.get(key, 0) + 1
    assert set(refused) - {None} <= REFUSALS
    assert refused.pop(None, 0) < 120  # what counts say, say: nothing that a probe looks at
    assert len(refused) > 2


@pytest.mark.parametrize("name", TABLES)
def test_every_wrong_header_field_is_refused(name: str, tmp_path: Path) -> None:
    """One key after the other, of the header and of its arrays, says each of some untrue things."""
    header, payload = split_table(valid_table(name))
    untold = {"counts"}  # what is known of them is for people: nobody counts on it
    for lie in WRONG_VALUES:
        for key in header.keys() - untold:
            said = json.loads(json.dumps(header))
            said[key] = lie
            if said != header:  # which true is, for 1
                found = check_table(name, join_table(said, payload), tmp_path / "some.table")
                assert found in REFUSALS, (key, lie)
        for key in header["arrays"][0]:
            said = json.loads(json.dumps(header))
            said["arrays"][0][key] = lie
            if said != header:  # which true is, for 1
                found = check_table(name, join_table(said, payload), tmp_path / "some.table")
                assert found in REFUSALS, (key, lie)


def bomb(size: int) -> bytes:
    packer = zlib.compressobj(9)
    return b"".join([*(packer.compress(bytes(1 << 20)) for _ in range(size >> 20)), packer.flush()])


def with_first_block(name: str, block: bytes) -> bytes:
    """Return a table whose first block is another one."""
    header, payload = split_table(valid_table(name))
    ends = header["arrays"][0]["ends"]
    more = len(block) - ends[0]
    payload = block + payload[ends[0] :]
    header["arrays"][0]["ends"] = [end + more for end in ends]
    header["bytes"], header["sha256"] = len(payload), hashlib.sha256(payload).hexdigest()
    return join_table(header, payload)


@pytest.mark.parametrize(
    "block",
    [
        bomb(1 << 26),
        zlib.compress(bytes(65535)),
        zlib.compress(bytes(65537)),
        zlib.compress(b"\1" * 65536)[:-4],
        b"no block at all",
        zlib.compress(random.Random(1).randbytes(70_000)),
    ],
    ids=["huge", "short", "long", "cut", "foreign", "big"],
)
def test_a_wrong_block_is_refused(block: bytes, tmp_path: Path) -> None:
    found = check_table("fraha", with_first_block("fraha", block), tmp_path / "some.table")
    assert found == "table-foreign"


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b"\xff\xfe",
        b'{"format":' + b"9" * 5000 + b"}",
        b'{"format":1}',
        b"1",
        b"",
        b'{"format":1,"arrays":[' + b"1," * 100_000 + b"1]}",
        b" " * (9 << 20) + b"{}",
    ],
)
def test_an_invalid_header_is_refused(header: bytes, tmp_path: Path) -> None:
    assert check_table("fraha", join_table(header, b""), tmp_path / "t") == "table-foreign"


def test_a_header_bomb_is_refused(tmp_path: Path) -> None:
    packed = bomb(1 << 27)
    check = hashlib.sha256(packed).digest()[:8]
    data = tables.file.MAGIC + struct.pack("<I", len(packed)) + check + packed
    assert check_table("fraha", data, tmp_path / "some.table") == "table-foreign"


@pytest.mark.parametrize("pawns", [None, 0, 1, 25, 50, 2**70, "4", 4.0, True])
def test_endings_of_more_pawns_than_can_be_solved(pawns: Any, tmp_path: Path) -> None:
    """Numbering what such a header claims would take all memory there is."""
    header, payload = split_table(valid_table("seega"))
    header = {key: value for key, value in header.items() if key != "pawns"}
    if pawns is not None:
        header["pawns"] = pawns
    assert check_table("seega", join_table(header, payload), tmp_path / "t") == "table-foreign"


def test_a_game_that_lists_more_positions_than_can_be_listed(
    tmp_path: Path, own_registry: None
) -> None:
    folder = damier.games.load(Path(__file__).parents[2] / "examples" / "tapatan")
    rules = damier.load_rules(folder.name)
    size = 10**12
    blocks = -(-size // 65536)
    arrays = [{"name": "values", "size": size, "width": 1, "ends": [0] * min(blocks, 10)}]
    header = {**tables.header_of(rules, {}), "positions": size, "format": 1, "bytes": 0}
    header |= {"arrays": arrays, "sha256": hashlib.sha256(b"").hexdigest()}
    (tmp_path / "t").write_bytes(join_table(header, b""))
    with pytest.raises(DamierError):
        tables.Table.open(tmp_path / "t", rules)


def test_paths_that_are_not_files(tmp_path: Path) -> None:
    """Folders, pipes that nobody writes to, devices without end, links to nothing."""
    rules = rules_of("fraha")
    pipe, device, loop = tmp_path / "pipe", tmp_path / "device", tmp_path / "loop"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    loop.symlink_to(loop)
    for path in (pipe, device):
        with pytest.raises(DamierError, match="not a table"):
            tables.Table.open(path, rules)
    for path in (tmp_path, loop, tmp_path / "nothing"):
        with pytest.raises(OSError, match=str(path)):
            tables.Table.open(path, rules)


def test_invalid_files_in_place_of_a_table_are_skipped_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DAMIER_DATA_DIR", str(tmp_path))
    rules = rules_of("endings")
    place = tables.tables_directory() / tables.file_name(rules, 4)
    place.mkdir(parents=True)
    with pytest.warns(UserWarning, match="this is a folder"):
        assert tables.find(rules) is None
    place.rmdir()
    os.mkfifo(place)
    tables.clear_table_cache()
    with pytest.warns(UserWarning, match="not a table of damier"):
        assert tables.find(rules) is None
    tables.clear_table_cache()


# ---- parts of an unfinished run ----------------------------------------------------------------


def spoiled(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    match rng.randrange(5):
        case 0:
            return data[:at]
        case 1:
            return data + rng.randbytes(rng.randint(1, 100))
        case 2:
            return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        case 3:
            return data[:at] + rng.randbytes(8) + data[at + 8 :] + bytes(8)
    return rng.randbytes(len(data))


def test_randomly_damaged_checkpoints_are_skipped(tmp_path: Path) -> None:
    parts = Checkpoints(tmp_path, {"game": "some"})
    arrays = {"state": np.arange(4, dtype=np.int64), "values": np.arange(300, dtype=np.uint16)}
    parts.save("run", arrays)
    path = tmp_path / "run.kept"
    good_one, rng = path.read_bytes(), random.Random(1)
    for _ in range(1000):
        path.write_bytes(spoiled(good_one, rng))
        assert parts.load("run", arrays) is None
    path.write_bytes(good_one)
    assert parts.load("run", arrays) is not None


@pytest.mark.parametrize("state", [(9, 0, 0, 0), (-1, 0, 0, 0), (0, -5, 0, 0), (0, 0, -1, 0)])
def test_a_checkpoint_of_an_impossible_run_is_skipped(
    state: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a part whose digest holds nothing is taken over that no run could have kept."""
    rules = damier.load_rules("fraha")
    began: list[Any] = []

    def stop(what: str, part: float) -> None:
        began.append((what, part))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        retrograde.solve(rules, None, 1, stop, tmp_path)
    header, solution = tables.header_of(rules, {}), retrograde.solver_for(rules).begin
    arrays = solution(rules, None, lambda *_: None).arrays
    parts = Checkpoints(tmp_path, {**header, "width": 1})
    assert parts.load("run", {"state": np.zeros(4, np.int64), **arrays}) is not None
    parts.save("run", {"state": np.array(state, np.int64), **arrays})
    with pytest.raises(KeyboardInterrupt):
        retrograde.solve(rules, None, 1, stop, tmp_path)
    assert began == [began[0]] * 2


@pytest.mark.parametrize("what", ["folder", "pipe", "file above", "link"])
def test_a_directory_in_place_of_a_checkpoint(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "some.table"
    parts = tmp_path / "some.parts"
    if what == "file above":
        parts.write_bytes(b"no folder")
    else:
        parts.mkdir()
        part = parts / "1-1.kept"
        if what == "folder":
            part.mkdir()
        elif what == "pipe":
            os.mkfifo(part)
        else:
            part.symlink_to("/dev/zero")
    words = ["solve", "fanorona", "--board", "3x3", "--pawns", "4", "--output", str(path)]
    assert main(words) == 0
    said = capsys.readouterr().err
    assert "Traceback" not in said
    if what in ("folder", "file above"):
        assert str(parts) in said
    assert path.read_bytes() == valid_table("endings")
