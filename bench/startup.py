"""Benchmark of startup: help, import, and the first move of a terminal game without cache."""

import os
import subprocess
import sys
import tempfile

import damier
from measure import best, store


def run(*words: str, text: str = "", cache: str = "") -> None:
    """Run a Python command to its end."""
    environment = {**os.environ, "DAMIER_CACHE_DIR": cache, "DAMIER_DATA_DIR": cache}
    subprocess.run(
        [sys.executable, *words],
        input=text.encode(),
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def main() -> None:
    """Print and store the figures."""
    figures = {
        "python": best(lambda: run("-c", "pass")),
        "import damier": best(lambda: run("-c", "import damier")),
        "damier --help": best(lambda: run("-m", "damier", "--help")),
    }
    for name in damier.GAMES:
        game = damier.Game(damier.load_rules(name))
        first = game.legal_moves()[0].text
        with tempfile.TemporaryDirectory() as cache:
            figures[f"first turn of {name}, no cache"] = best(
                lambda name=name, first=first, cache=cache: run(  # type: ignore[misc]  # defaults
                    "-m",
                    "damier",
                    "play",
                    name,
                    "--black",
                    "random",
                    text=f"{first}\nquit\n",
                    cache=cache,
                ),
                1,
            )
    for name, seconds in figures.items():
        print(f"{name:36} {seconds:6.3f} s")
    store("startup", {name: round(seconds, 3) for name, seconds in figures.items()})


if __name__ == "__main__":
    main()
