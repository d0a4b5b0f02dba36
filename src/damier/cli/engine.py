"""`damier engine`: the engine for other programs, by lines on standard input and output."""

import argparse
import io
import sys
import threading

from damier.cli.common import add_games, load_games


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_games(parser)


def run(args: argparse.Namespace) -> int:
    """Answer lines until `quit` or the end of the input."""
    from damier.search.protocol import Server

    load_games(args)
    lock = threading.Lock()

    def say_line(line: str) -> None:
        with lock:
            print(line, flush=True)

    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")  # junk is answered, not fatal
    Server(say_line).serve(sys.stdin)
    return 0
