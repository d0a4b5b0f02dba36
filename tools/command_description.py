"""Write tests/data/commands.txt: a line for each argument and option of each command.

    python tools/command_description.py

A test compares it, so that no change of the command line goes unnoticed. docs/stability.md says
what is stable.
"""

import argparse
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

from damier import files
from damier.cli import ALIASES, COMMANDS, Parser

DESCRIPTION = Path(__file__).parent.parent / "tests" / "data" / "commands.txt"


def describe_argument(action: argparse.Action) -> str:
    """Return the names of an argument, how many values it takes, and which ones."""
    parts = [", ".join(action.option_strings) or action.dest]
    if action.nargs is not None:
        parts.append(f"nargs={action.nargs}")
    if action.choices is not None:
        parts.append(f"choices={','.join(map(str, action.choices))}")
    if isinstance(action, argparse._AppendAction):
        parts.append("repeatable")
    if action.required and action.option_strings:
        parts.append("required")
    return " ".join(parts)


def describe_command(name: str) -> Iterator[str]:
    """Yield a line for a command and for each of its arguments, without the help texts."""
    parser = Parser(prog=name, add_help=False)
    importlib.import_module(f"damier.cli.{name.replace('-', '_')}").configure(parser)
    yield f"damier {name}"
    for action in parser._actions:  # argparse has no public list of them
        yield f"damier {name} {describe_argument(action)}"


def description() -> str:
    """Return a line for each argument and option of each command."""
    lines = [line for name in COMMANDS for line in describe_command(name)]
    lines += [f"damier {former} = damier {name}" for former, name in ALIASES.items()]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the description."""
    files.write_text(DESCRIPTION, description())
    return 0


if __name__ == "__main__":
    sys.exit(main())
