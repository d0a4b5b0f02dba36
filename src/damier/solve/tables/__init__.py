"""Table files and queries.

`file` is the file format, `table` a table and the search for its file, `values` the meaning of a
value (`damier.solve.value_codes` is its encoding), `queries` and `lines` answer questions,
`draw_ranking` orders drawn moves. `superko_proofs` proves wins where positions must not be
repeated, and `proof_kernels` search down to known endings.
"""

from damier.solve.tables.file import checkpoint_directory, lock_table, pack, read, write
from damier.solve.tables.table import (
    Table,
    built_path,
    candidates,
    clear_table_cache,
    file_name,
    find,
    header_of,
    other_tables,
    portable_tables,
    refuse_replacing,
    tables_directory,
)
from damier.solve.tables.values import Metric, Outcome, Value, value_of

__all__ = [
    "Metric",
    "Outcome",
    "Table",
    "Value",
    "built_path",
    "candidates",
    "checkpoint_directory",
    "clear_table_cache",
    "file_name",
    "find",
    "header_of",
    "lock_table",
    "other_tables",
    "pack",
    "portable_tables",
    "read",
    "refuse_replacing",
    "tables_directory",
    "value_of",
    "write",
]
