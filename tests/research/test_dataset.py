"""Datasets: written once, resumed, and readable by other programs."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars
import pytest

import damier
from damier import DamierError
from damier.research.dataset import write_dataset
from damier.truth import Labels, Truth

RULES = damier.load_rules("chefa")


@pytest.fixture(scope="module")
def truth() -> Truth:
    return Truth(RULES, compiled=False)


def test_a_sample_is_read_by_polars(truth: Truth, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    paths = write_dataset(truth, tmp_path, 25, part_rows=10, progress=lambda *p: seen.append(p))
    assert [path.name for path in paths] == [f"part-0000{k}.parquet" for k in range(3)]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    frame = polars.read_parquet(tmp_path / "*.parquet")
    _, rows = truth.sample(25)
    labels = truth.label(rows)
    assert frame["white"].to_list() == rows[:, 0].tolist()
    assert frame["outcome"].to_list() == labels.outcome.tolist()
    assert frame["distance"].to_list() == labels.distance.tolist()
    for text, best, words in zip(frame["text"], frame["best"], rows.tolist(), strict=True):
        position = damier.Position(RULES, *words)
        assert text == str(position)
        assert set(best.to_list()) <= {step.number for step in position.steps()}
        assert len(best)


READ = """
import json, sys, datasets

files, cache = sys.argv[1:]
rows = datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=cache)
print(json.dumps(rows.to_list()))
"""


@pytest.mark.slow
def test_a_sample_is_read_by_datasets(truth: Truth, tmp_path: Path) -> None:
    write_dataset(truth, tmp_path / "labels", 25, part_rows=10)
    files, cache = tmp_path / "labels" / "*.parquet", tmp_path / "cache"
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(cache)}
    command = [sys.executable, "-c", READ, str(files), str(cache)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=offline)
    assert json.loads(done.stdout) == polars.read_parquet(files).to_dicts()


def test_an_interrupted_run_continues(
    truth: Truth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(done: int, parts: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dataset(truth, tmp_path, 20, part_rows=10, progress=interrupt)
    sample = truth.sample(20)
    first = tmp_path / "part-00000.parquet"
    stamp = first.stat().st_mtime_ns
    labelled: list[int] = []
    label = truth.label

    def counted(rows: Any, best: bool = True) -> Labels:
        labelled.append(len(rows))
        return label(rows, best)

    monkeypatch.setattr(truth, "label", counted)
    monkeypatch.setattr(truth, "sample", lambda count: sample)
    assert len(write_dataset(truth, tmp_path, 20, part_rows=10)) == 2
    assert labelled == [10]
    assert first.stat().st_mtime_ns == stamp


def test_another_dataset_is_not_mixed_in(truth: Truth, tmp_path: Path) -> None:
    write_dataset(truth, tmp_path, 5)
    with pytest.raises(DamierError, match="another dataset"):
        write_dataset(truth, tmp_path, 6)
    (tmp_path / "part-00000.parquet").write_bytes(b"damaged")
    with pytest.raises(DamierError, match="another dataset"):
        write_dataset(truth, tmp_path, 5)
