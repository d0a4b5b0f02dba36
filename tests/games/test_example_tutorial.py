"""The tutorial for game authors: its files are written, its commands and sessions run."""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from damier.cli.check import FILES
from damier.games.return_checks import STEP_CELLS
from damier.games.static_checks import CONTRACT_NAMES

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
TUTORIALS = [DOCS / "your-game.md", DOCS / "your-game.fr.md"]
# What thinks or solves.
ENGINE = re.compile(r"damier (solve|probe|arena|play)\b")


def blocks(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the info string and the text of each fenced block."""
    for found in re.finditer(r"^```(.+?)\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S):
        yield found[1], found[2]


def follow(path: Path, folder: Path, left_out: re.Pattern[str] | None = None) -> list[str]:
    """Do what a tutorial says, in a folder; return the commands that were typed."""
    typed: list[str] = []
    sessions = [text for info, text in blocks(path) if info == "python"]
    seen = 0
    for info, text in blocks(path):
        if info == "console":
            for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
                line, _, printed = part.partition("\n")
                if left_out is None or not left_out.search(line):
                    typed.append(line)
                    run(line, printed, folder)
        elif info == "python":
            seen += 1
            if seen == len(sessions):  # one session may use the names of another
                (folder / "sessions.txt").write_text("\n".join(sessions), "utf-8")
                run(f"{sys.executable} -m doctest -o ELLIPSIS sessions.txt", "", folder)
        else:
            name = re.fullmatch(r"\w+ file=(\S+)", info)
            assert name, info
            with (folder / name[1]).open("a", encoding="utf-8") as file:
                file.write(("\n\n" if file.tell() else "") + text)
    return typed


def run(line: str, printed: str, folder: Path) -> None:
    """Type a line in a shell, and compare what it prints; `...` stands for anything."""
    paths = {
        "PATH": [str(Path(sys.executable).parent), os.environ["PATH"]],
        "PYTHONPATH": [str(folder / "installed"), *filter(None, [os.environ.get("PYTHONPATH")])],
    }
    environment = {
        **os.environ,
        **{name: os.pathsep.join(found) for name, found in paths.items()},
        "LANGUAGE": "en",
        "DAMIER_DATA_DIR": str(folder / "data"),
        # As `pip install`, but into this folder and without a network.
        "PIP_TARGET": str(folder / "installed"),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads the values of this one the other way round
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    done = subprocess.run(
        line,
        shell=True,
        cwd=folder,
        env=environment,
        encoding="utf-8",
        timeout=300,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    refused = printed.startswith("damier: ")
    assert (done.returncode != 0) == refused, done.stdout
    lines = "".join(f"{x.rstrip()}\n" for x in done.stdout.splitlines())
    flags = doctest.ELLIPSIS
    assert doctest.OutputChecker().check_output(printed, lines, flags), (line, lines)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.name)
def test_the_tutorial_up_to_the_engine(path: Path, tmp_path: Path) -> None:
    typed = follow(path, tmp_path, ENGINE)
    assert len(typed) == 12
    assert (tmp_path / "installed" / "hexapawn" / "rules.py").exists()
    ruff = Path(sys.executable).parent / "ruff"
    settings = DOCS.parent / "pyproject.toml"
    for check in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [ruff, *check, "--config", settings, tmp_path / "hexapawn"],
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stdout


def test_the_whole_tutorial(tmp_path: Path) -> None:
    """In one language: both show the same code."""
    assert len(follow(TUTORIALS[0], tmp_path)) == 17


def test_both_languages_show_the_same_code() -> None:
    english, french = (
        [block for block in blocks(path) if not block[0].startswith("json")] for path in TUTORIALS
    )
    assert len(english) == len(french)
    different = [one for one, other in zip(english, french, strict=True) if one != other]
    assert len(different) == 2  # the lines that speak French
    assert "".join(text for _, text in french).count("--lang fr") == 2


def test_french_spaces_do_not_break() -> None:
    text = TUTORIALS[1].read_text("utf-8")
    prose = re.sub(r"^```.*?^```|`[^`]*`", "", text, flags=re.M | re.S)
    assert not re.search(r" [:;?!»]|« |'", prose)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.name)
def test_the_reference_names_everything_that_a_game_can_define(path: Path) -> None:
    text = path.read_text("utf-8")
    rows = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    named = set(re.findall(r"`(\w+)", rows))
    assert named >= CONTRACT_NAMES
    assert named >= STEP_CELLS.keys()
    assert all(name in text for name in FILES)
