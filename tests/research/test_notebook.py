"""The notebook runs from the first cell to the last, and the benchmarks run."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import batch
import regret

ROOT = Path(__file__).parents[2]


def run_cell(source: str, scope: dict[str, Any]) -> Any:
    """Run a cell; return the value of its last expression, if it ends with one."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), scope)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), scope)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_the_notebook_runs() -> None:
    notebook = json.loads((ROOT / "examples" / "research.ipynb").read_text("utf-8"))
    scope: dict[str, Any] = {}
    shown = [
        run_cell("".join(cell["source"]), scope)
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]
    pictures = [value._repr_svg_() for value in shown if hasattr(value, "_repr_svg_")]
    assert len(pictures) == 2
    assert all(picture.startswith("<svg") for picture in pictures)
    regrets = scope["regrets"]
    assert regrets["perfect"].mean == 0 < regrets["random"].mean
    assert scope["labels"].outcome.shape == (256,)


@pytest.mark.slow
def test_the_benchmark_of_regret(capsys: pytest.CaptureFixture[str]) -> None:
    regret.main(["chefa", "--sample", "6", "--levels", "1", "--uct", "uct:nodes=50"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["random", "level:1", "uct:nodes=50"]
    assert all("6 positions, regret 0." in line for line in lines)


@pytest.mark.slow
def test_the_benchmark_of_batches(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"WARM_UP": 1, "STEPS": 2, "SECONDS": 0.05}.items():
        monkeypatch.setattr(batch, name, value)
    batch.main(["--games", "chefa", "--size", "8"])
    printed = capsys.readouterr().out
    for expected in ("chefa  ", "OpenSpiel breakthrough", "PettingZoo chefa", "labels of chefa"):
        assert expected in printed


def test_the_citation_names_this_version() -> None:
    import damier

    lines = (ROOT / "CITATION.cff").read_text("utf-8").splitlines()
    assert f"version: {damier.__version__}" in lines
    assert "cff-version: 1.2.0" in lines
