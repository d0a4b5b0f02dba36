"""Datasets of exactly labelled positions, as Parquet files; install `damier[dataset]`.

A dataset is a directory with one file for each part. A part is written atomically, so an
interrupted run continues. Columns: `white`, `black` and `rest`, the position as
three words; `text`, the same as text; `outcome` and `distance` as in `Labels`; `best`, the list of
the steps that begin a best move; `weight`, how many positions the row stands for. The metadata of
each file names the game, its options and the checksum of the table.

    polars.read_parquet("dataset/*.parquet")
    datasets.load_dataset("parquet", data_files="dataset/*.parquet")
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from damier import files
from damier.errors import DamierError
from damier.position import Position
from damier.research.positions import Positions
from damier.research.truth import Truth

__all__ = ["write_dataset"]

PART_ROWS = 100_000  # of a part, by default
METADATA = b"damier"

Progress = Callable[[int, int], None]  # parts written, and parts in all


def write_dataset(
    truth: Truth,
    directory: Path | str,
    sample: int | None = None,
    *,
    part_rows: int = PART_ROWS,
    progress: Progress | None = None,
) -> list[Path]:
    """Write the positions of a solved game, or a fixed sample, with their labels; return the files.

    Parts that exist already are kept. A directory with other data raises DamierError.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    about = {
        "game": truth.rules.name,
        "options": dict(truth.rules.options),
        "table": truth.checksum,
        "bound": truth.bound,
        "sample": sample,
        "part_rows": part_rows,
    }
    numbers = len(next(iter(truth.table.arrays.values())))
    rows = None if sample is None else truth.sample(sample)[1]
    parts = -(-(numbers if rows is None else len(rows)) // part_rows)
    written = []
    for part in range(parts):
        path = directory / f"part-{part:05}.parquet"
        if not _is_written(path, about):
            begin, end = part * part_rows, (part + 1) * part_rows
            if rows is None:
                found, weights = truth.positions_of(np.arange(begin, min(end, numbers)))
            else:
                found = rows[begin:end]
                weights = np.ones(len(found), np.int64)
            files.write(path, [_content(truth, found, weights, about)])
        written.append(path)
        if progress is not None:
            progress(part + 1, parts)
    return written


def _is_written(path: Path, about: dict[str, Any]) -> bool:
    """Return whether a part exists; raise DamierError if it belongs to another dataset."""
    if not path.exists():
        return False
    import pyarrow.parquet as pq

    try:
        found = json.loads((pq.read_schema(path).metadata or {}).get(METADATA, b"null"))
    except (OSError, ValueError) as error:
        raise DamierError("dataset-other", path=path) from error
    if found != about:
        raise DamierError("dataset-other", path=path)
    return True


def _content(
    truth: Truth, rows: Positions, weights: npt.NDArray[np.int64], about: dict[str, Any]
) -> bytes:
    """Return the content of a part."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    labels = truth.label(rows)
    texts = [str(Position(truth.rules, *words)) for words in rows.tolist()]
    row, group, cell = _set_bits(labels.best)
    counts = np.bincount(row, minlength=len(rows))
    ends = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    steps = pa.array((64 * group + cell).astype(np.int16))
    table = pa.table(
        {
            "white": rows[:, 0],
            "black": rows[:, 1],
            "rest": rows[:, 2],
            "text": texts,
            "outcome": labels.outcome,
            "distance": labels.distance,
            "best": pa.ListArray.from_arrays(pa.array(ends), steps),
            "weight": weights,
        }
    ).replace_schema_metadata({METADATA: json.dumps(about)})
    stream = io.BytesIO()
    pq.write_table(table, stream, compression="zstd")
    return stream.getvalue()


def _set_bits(words: npt.NDArray[np.int64]) -> tuple[Any, Any, Any]:
    """Return row, group and cell of each bit that is set, sorted by row and then by step."""
    bits = words[:, :, None] >> np.arange(63) & 1
    row, group, cell = np.nonzero(bits)
    return row, group, cell
