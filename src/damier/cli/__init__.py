"""Command line `damier`. Each subcommand is a module of this package, imported on use."""

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, TextIO, cast

from damier import i18n
from damier.cli import interrupt
from damier.cli.terminal import SafeStream
from damier.errors import DamierError, Notice, describe_os_error
from damier.games import GameWarning, RefusedGame
from damier.games.run_time_errors import located_errors
from damier.i18n import translate

# Each command's module in this package has `configure(parser)` and `run(args) -> int`; its
# one-line help is the text `cli.<command>.help`.
COMMANDS = (
    "web", "serve", "play", "puzzle", "show", "moves", "perft", "replay", "rules", "arena", "lab",
    "engine", "warmup", "solve", "probe", "results", "puzzles", "lessons", "new-game", "check",
    "site",
)  # fmt: skip  # compact list
ALIASES = {"turns": "moves"}  # former names of commands


def _translate_argparse(message: str) -> str:
    """Return one of argparse's own messages in the language in use."""
    return i18n.texts(i18n.language()).get(f"argparse.{message}", message)


class Parser(argparse.ArgumentParser):
    """Argument parser that prints in the language in use and exits without a traceback."""

    def __init__(self, **settings: Any) -> None:
        argparse._ = _translate_argparse  # type: ignore[attr-defined]
        argparse.ngettext = lambda _, many, __: _translate_argparse(many)  # type: ignore[attr-defined]
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> Any:
        """Print the usage and the error, and exit with status 2."""
        self.print_usage(sys.stderr)
        self.exit(2, translate("cli.error", message=message) + "\n")


class EndOfInput(Exception):
    """Standard input ended while a prompt waited for an answer."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status.

    Without `arguments`, use those of the process, and exit the process even if a thread is still
    compiling.
    """
    is_main = arguments is None
    words = list(sys.argv[1:] if arguments is None else arguments)
    i18n.set_language(_language(words))
    _repair_streams()
    warnings.formatwarning = _warning
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, SafeStream(stream)) for stream in streams)
    try:
        return _run_safely(words, is_main)
    finally:
        sys.stdout, sys.stderr = streams


def _run_safely(words: list[str], is_main: bool) -> int:
    """Run the command line; print errors as messages; return the exit status."""
    try:
        status = _run(words, is_main)
    except DamierError as error:
        print(translate("cli.error", message=str(error)), file=sys.stderr)
        status = 2
    except OSError as error:
        print(translate("cli.error", message=describe_os_error(error)), file=sys.stderr)
        status = 1
    except EndOfInput:
        print(file=sys.stderr)
        status = 1
    except KeyboardInterrupt:
        print(file=sys.stderr)
        if is_main:
            interrupt.leave(interrupt.INTERRUPTED)
        return interrupt.INTERRUPTED
    _report_compiler_failures()
    if is_main and _still_compiling():
        interrupt.leave(status)
    return status


def _report_compiler_failures() -> None:
    """Print which kernels could not be compiled or cached, because later runs will be slow."""
    native, warmup = (sys.modules.get(f"damier.{name}") for name in ("jit.native", "search.warmup"))
    failed = warmup.WARMUPS.unreported_failures() if warmup is not None else ()
    lines = [translate("error.not-compiled", game=game, message=error) for game, error in failed]
    if native is not None and native.cache_error():
        lines.append(translate("cli.code-not-kept", message=native.cache_error()))
    for line in lines:
        print(translate("cli.error", message=line), file=sys.stderr)


def _still_compiling() -> bool:
    """Tell whether a background thread is still compiling kernels."""
    warmup = sys.modules.get("damier.search.warmup")
    return warmup is not None and warmup.WARMUPS.busy()


def _repair_streams() -> None:
    """Open missing standard streams and let the others accept every character."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  stays open
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


_default_format = warnings.formatwarning


def _warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """Format a warning; damier's own warnings look like its other messages."""
    if isinstance(message, GameWarning | RefusedGame | Notice):
        return translate("cli.error", message=message) + "\n"
    return _default_format(message, category, filename, lineno, line)


def _language(words: list[str]) -> str | None:
    """Return the value of `--lang`, read before parsing because help and errors depend on it."""
    for previous, argument in zip(["", *words], words, strict=False):
        if argument.startswith("--lang="):
            return argument.partition("=")[2]
        if previous == "--lang":
            return argument
    return None


def _run(words: list[str], is_main: bool) -> int:
    """Parse the arguments, run the command and return the exit status."""
    from damier import __version__

    at = next((k for k, word in enumerate(words) if word in COMMANDS or word in ALIASES), None)
    command = None
    if at is not None:
        command = words[at] = ALIASES.get(words[at], words[at])
    if is_main and command not in ("web", "serve"):  # a server handles interrupts itself
        interrupt.watch()
    parser = Parser(prog="damier", description=translate("cli.description"))
    parser.add_argument(
        "--version", action="version", version=__version__, help=translate("cli.version")
    )
    _add_language(parser)
    commands = parser.add_subparsers(
        title=translate("cli.commands"),
        dest="command",
        metavar=translate("cli.command"),
        required=True,
    )
    for name in COMMANDS:
        text = translate(f"cli.{name}.help")
        sub = commands.add_parser(name, help=text, description=text)
        if name == command:
            _add_language(sub)
            _module(name).configure(sub)
    if not words:
        parser.print_help()
        return 0
    args = parser.parse_args(words)
    try:
        with located_errors():
            status: int = _module(args.command).run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe: write nothing more, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _module(command: str) -> Any:
    """Import and return the module of a command."""
    return import_module(f"damier.cli.{command.replace('-', '_')}")


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lang", choices=i18n.LANGUAGES, default=argparse.SUPPRESS, help=translate("cli.lang")
    )
