"""The third room: table files, and what they answer.

`codes` beside this room say how a value is one number; `file` is the format, `table` a table and
where it is found, `values` what a value means, `answers` and `lines` what is asked. `forced` proves
wins where positions may not be brought back, `perfect` plays, `proof` searches down to known
endings.
"""

from damier.solve.tables.file import alone_with, pack, parts_of, read, write
from damier.solve.tables.table import (
    Table,
    candidates,
    data_directory,
    file_name,
    find,
    forget,
    header_of,
)
from damier.solve.tables.values import Metric, Outcome, Value, value_of

__all__ = [
    "Metric",
    "Outcome",
    "Table",
    "Value",
    "alone_with",
    "candidates",
    "data_directory",
    "file_name",
    "find",
    "forget",
    "header_of",
    "pack",
    "parts_of",
    "read",
    "value_of",
    "write",
]
