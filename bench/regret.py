"""Regret of baselines: random steps, levels, UCT and a small network.

    python bench/regret.py chefa --sample 200 --network network.npz

The positions are the fixed sample of `damier.truth`, whose name contains the checksum of the table.
Without a name, every game that has a table is measured. With `--all` random steps are measured
over all positions as well. `examples/small_network.py` trains the network.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import damier
from damier import GAMES, Game
from damier.batch import NO_STEP, Batch
from damier.players import Player, player
from damier.solve import find
from damier.truth import Regret, Truth
from measure import store

EXAMPLE = Path(__file__).parents[1] / "examples" / "small_network.py"


class PlayerPolicy:
    """Policy that asks a damier player for a move and returns its steps one after another."""

    def __init__(self, chosen: Player) -> None:
        self._player = chosen
        self._steps: dict[int, list[int]] = {}

    def __call__(self, batch: Batch) -> Any:
        """Return the next step of each game whose first move is not complete."""
        actions = np.full(batch.n, NO_STEP)
        for k in np.flatnonzero((batch.moves == 0) & ~batch.over).tolist():
            position = batch.position(k)
            if not position.unfinished:
                self._steps[k] = list(self._player.choose(Game(position)).steps)
            actions[k] = self._steps[k].pop(0)
        return actions


def random_policy(batch: Batch) -> Any:
    """Choose random legal steps."""
    return batch.sample()


def load_network(path: Path) -> Any:
    """Return the network in a file that the example has written."""
    spec = importlib.util.spec_from_file_location("small_network", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.Network.load(path)


def measure(truth: Truth, name: str, sample: int | None, network: Path | None = None) -> Regret:
    """Return the regret of a baseline."""
    if name == "random steps":
        return truth.regret(random_policy, sample)
    if name == "network":
        assert network is not None
        return truth.regret(load_network(network), sample, planes=True)
    return truth.regret(PlayerPolicy(player(name, seed=1)), sample)


def measure_game(game: str, args: argparse.Namespace) -> None:
    """Print the regret of the baselines of a game."""
    truth = Truth(damier.load_rules(game))
    names = ["random steps", *(f"level:{k + 1}" for k in range(args.levels)), args.uct]
    found = []
    jobs: list[tuple[str, int | None]] = [(name, args.sample) for name in names if name]
    if args.network:
        jobs.append(("network", args.sample))
    if args.all:
        jobs.append(("random steps", None))
    if truth.bound:
        print("bounds: the table ignores the ban on repetition")
    for name, sample in jobs:
        began = time.perf_counter()
        regret = measure(truth, name, sample, args.network)
        seconds = time.perf_counter() - began
        print(
            f"{name:16} {regret.sample}: {regret.positions} positions, regret {regret.mean:.4f}, "
            f"correct {regret.correct:.1%}, {seconds:.1f} s",
            flush=True,
        )
        found.append([name, regret.sample, regret.positions, regret.mean, regret.correct])
    if args.store:
        store("regret", {"game": game, "regret": found})


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", help="by default all games that have a table")
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--network", type=Path, help="network of the one game that is named")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--levels", type=int, default=8)
    parser.add_argument("--uct", default="uct:nodes=1000")
    parser.add_argument("--store", action="store_true")
    args = parser.parse_args(arguments)
    if args.network and len(args.games) != 1:
        parser.error("--network needs exactly one game")
    for game in args.games or [name for name in GAMES if find(damier.load_rules(name))]:
        measure_game(game, args)


if __name__ == "__main__":
    main()
