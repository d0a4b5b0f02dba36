"""`damier engine`: run the engine protocol on standard input and output."""

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
    from damier.search.protocol import EngineServer

    load_games(args)
    lock = threading.Lock()

    def print_line(line: str) -> None:
        with lock:
            print(line, flush=True)

    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            # Invalid bytes get an error answer instead of ending the engine.
            stream.reconfigure(encoding="utf-8", errors="replace")
    EngineServer(print_line).serve(sys.stdin)
    return 0
