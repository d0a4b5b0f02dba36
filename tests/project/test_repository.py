"""Repository files: valid workflows and forms that call make targets, and a working container."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.support.installation import TOOLS, build, install, new_environment

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
SCHEMAS = {
    "vendor.github-workflows": sorted(GITHUB.glob("workflows/*.yml")),
    "custom.github-workflows-require-timeout": sorted(GITHUB.glob("workflows/*.yml")),
    "vendor.dependabot": [GITHUB / "dependabot.yml"],
    "vendor.github-issue-forms": [
        GITHUB / f"ISSUE_TEMPLATE/{n}.yml" for n in ("idea", "problem", "rule")
    ],
    "vendor.github-issue-config": [GITHUB / "ISSUE_TEMPLATE/config.yml"],
    "vendor.citation-file-format": [ROOT / "CITATION.cff"],
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_of_the_repository_follow_their_schemas(schema: str) -> None:
    paths = SCHEMAS[schema]
    assert paths
    done = subprocess.run(
        [TOOLS / "check-jsonschema", "--builtin-schema", schema, *paths],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def make_targets() -> set[str]:
    """Return the targets that `make help` lists."""
    done = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.split()[0] for line in done.stdout.splitlines()}


def test_workflows_call_make_targets_that_exist() -> None:
    targets = make_targets()
    called = set()
    for path in GITHUB.glob("workflows/*.yml"):
        text = path.read_text("utf-8")
        called |= set(re.findall(r"run: make ([a-z-]+)", text))
        if "make ${{ matrix.command }}" in text:
            commands = re.search(r"command: (\[.*\])", text)
            assert commands is not None
            called |= {command.split()[0] for command in json.loads(commands[1])}
    assert {"test", "quick", "site", "dist", "fuzz", "audit", "lowest"} <= called <= targets


def test_every_target_of_the_makefile_is_described() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    phony = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", text, re.MULTILINE)
    assert phony is not None
    assert set(phony[1].replace("\\", "").split()) - {"browser", "servers"} == make_targets()


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Containerfile: name and argument."""
    text = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, argument.strip()) for name, _, argument in (x.partition(" ") for x in lines)]


@pytest.mark.slow
def test_the_container_serves_and_is_healthy(tmp_path: Path) -> None:
    """Run its steps as a script: paths below a folder, and the machine's users left alone."""
    folders = {"/tmp/damier": tmp_path / "wheel", "/data": tmp_path / "data"}
    build(folders["/tmp/damier"])
    folders["/data"].mkdir()
    programs = new_environment(tmp_path / "venv")
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    seen: dict[str, str] = {}
    for name, argument in instructions():
        for folder, place in folders.items():
            argument = argument.replace(folder, str(place))
        seen[name] = argument
        if name == "ENV":
            environment |= dict(part.split("=", 1) for part in shlex.split(argument))
        elif name == "RUN" and argument.startswith("pip install"):
            (requirement,) = argument.removeprefix("pip install --no-cache-dir ").splitlines()
            install(programs, subprocess.getoutput(f"echo {requirement}"))
        elif name == "RUN":
            assert argument.startswith("useradd --system")
    assert seen["FROM"].startswith("python:3.")
    assert seen["USER"] == "damier"  # not root
    command = json.loads(seen["CMD"])
    port = command[command.index("--port") + 1]
    assert seen["EXPOSE"] == port
    health = seen["HEALTHCHECK"].partition(" CMD ")[2]
    command[command.index("--port") + 1] = "0"
    command[command.index("--host") + 1] = "127.0.0.1"
    server = subprocess.Popen(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, encoding="utf-8"
    )
    try:
        assert server.stdout is not None
        addresses = (re.search(r"http://127.0.0.1:(\d+)", line) for line in server.stdout)
        chosen = next(address[1] for address in addresses if address)
        assert f":{port}/healthz" in health
        check = health.replace(f":{port}/", f":{chosen}/")
        subprocess.run(check, shell=True, check=True, env=environment)
        assert (folders["/data"] / "online.sqlite").is_file()
    finally:
        server.terminate()
        server.communicate(timeout=60)
    stopped = subprocess.run(check, shell=True, env=environment, capture_output=True)
    assert stopped.returncode != 0
