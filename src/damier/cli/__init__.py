"""The command `damier`. Each subcommand is a module here, imported when it is called."""

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from damier import lang
from damier.cli import interrupt
from damier.errors import DamierError, Notice, told
from damier.games import RefusedGame
from damier.lang import say

# Each command's module in this package has `configure(parser)` and `run(args) -> int`; its
# one-line help is the text `cli.<command>.help`.
COMMANDS = (
    "web", "serve", "play", "puzzle", "show", "turns", "perft", "replay", "rules", "arena",
    "engine", "warmup", "solve", "probe", "results", "puzzles", "lessons", "new-game", "site",
)  # fmt: skip


def _translated(message: str) -> str:
    """Return one of argparse's own messages in the language in use."""
    return lang.texts(lang.language()).get(f"argparse.{message}", message)


class Parser(argparse.ArgumentParser):
    """An argument parser that speaks the language in use and ends without a traceback."""

    def __init__(self, **settings: Any) -> None:
        argparse._ = _translated  # type: ignore[attr-defined]
        argparse.ngettext = lambda _, many, __: _translated(many)  # type: ignore[attr-defined]
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> Any:
        """Say what is wrong and end with status 2."""
        self.print_usage(sys.stderr)
        self.exit(2, say("cli.error", message=message) + "\n")


class EndOfInput(Exception):
    """Nobody is there any more to answer a prompt."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status.

    Without arguments it is the process's own, which ends then: what compiles is left behind.
    """
    own = arguments is None
    words = list(sys.argv[1:] if arguments is None else arguments)
    lang.use(_language(words))
    _mend_streams()
    warnings.formatwarning = _warning
    try:
        status = _run(words, own)
    except DamierError as error:
        print(say("cli.error", message=str(error)), file=sys.stderr)
        status = 2
    except OSError as error:
        print(say("cli.error", message=told(error)), file=sys.stderr)
        status = 1
    except EndOfInput:
        print(file=sys.stderr)
        status = 1
    except KeyboardInterrupt:
        print(file=sys.stderr)
        if own:
            interrupt.leave(interrupt.INTERRUPTED)
        return interrupt.INTERRUPTED
    _say_what_failed()
    if own and _still_compiling():
        interrupt.leave(status)
    return status


def _say_what_failed() -> None:
    """Say what the compiler could not do or keep: else the next run is slow, and nobody knows."""
    native, warmup = (sys.modules.get(f"damier.{name}") for name in ("jit.native", "search.warmup"))
    failed = warmup.WARMUPS.failed() if warmup is not None else ()
    lines = [say("error.not-compiled", game=game, message=error) for game, error in failed]
    if native is not None and native.refused():
        lines.append(say("cli.code-not-kept", message=native.refused()))
    for line in lines:
        print(say("cli.error", message=line), file=sys.stderr)


def _still_compiling() -> bool:
    """Tell whether a thread compiles for searches that nobody will ask for."""
    warmup = sys.modules.get("damier.search.warmup")
    return warmup is not None and warmup.WARMUPS.busy()


def _mend_streams() -> None:
    """See to it that the standard streams are there and take every character."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


_usual = warnings.formatwarning


def _warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int,
    line: str | None = None,
) -> str:  # fmt: skip
    """Return a warning; what a person had better know is said as all else is."""
    if isinstance(message, RefusedGame | Notice):
        return say("cli.error", message=message) + "\n"
    return _usual(message, category, filename, lineno, line)


def _language(words: list[str]) -> str | None:
    """Return the language that the arguments ask for: help and errors must speak it too."""
    for before, word in zip(["", *words], words, strict=False):
        if word.startswith("--lang="):
            return word.partition("=")[2]
        if before == "--lang":
            return word
    return None


def _run(words: list[str], own: bool) -> int:
    from damier import __version__

    command = next((word for word in words if word in COMMANDS), None)
    if own and command not in ("web", "serve"):  # a server hears of interrupts in its own way
        interrupt.watch()
    parser = Parser(prog="damier", description=say("cli.description"))
    parser.add_argument("--version", action="version", version=__version__, help=say("cli.version"))
    _add_language(parser)
    commands = parser.add_subparsers(
        title=say("cli.commands"), dest="command", metavar=say("cli.command"), required=True
    )
    for name in COMMANDS:
        text = say(f"cli.{name}.help")
        sub = commands.add_parser(name, help=text, description=text)
        if name == command:
            _add_language(sub)
            _module(name).configure(sub)
    if not words:
        parser.print_help()
        return 0
    args = parser.parse_args(words)
    try:
        status: int = _module(args.command).run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone: nothing more to say, also not at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _module(command: str) -> Any:
    return import_module(f"damier.cli.{command.replace('-', '_')}")


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lang", choices=lang.LANGUAGES, default=argparse.SUPPRESS, help=say("cli.lang")
    )
