"""Small network that learns exact best moves, with NumPy alone.

    python examples/small_network.py chefa --output network.npz

It draws positions from the game's table, learns which steps begin a best move, and writes its
weights. Its regret is measured on the fixed sample of `damier.truth`, whose positions are left out
of the training. On 2 cores this takes a few minutes; `bench/regret.py --network` reads the file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import damier
from damier.batch import Batch
from damier.truth import Truth

Arrays = dict[str, Any]


class Network:
    """Two layers: planes to hidden units, hidden units to one score for each action."""

    def __init__(self, weights: Arrays) -> None:
        self.weights = weights

    @classmethod
    def fresh(cls, inputs: int, hidden: int, actions: int, seed: int) -> Network:
        """Return a network with small random weights."""
        rng = np.random.default_rng(seed)
        return cls(
            {
                "w1": rng.normal(0, inputs**-0.5, (inputs, hidden)).astype(np.float32),
                "b1": np.zeros(hidden, np.float32),
                "w2": rng.normal(0, hidden**-0.5, (hidden, actions)).astype(np.float32),
                "b2": np.zeros(actions, np.float32),
            }
        )

    @classmethod
    def load(cls, path: Path) -> Network:
        """Return the network in a file."""
        with np.load(path) as arrays:
            return cls({name: arrays[name] for name in arrays.files})

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        np.savez_compressed(path, **self.weights)

    def scores(self, planes: Any) -> tuple[Any, Any, Any]:
        """Return inputs, hidden units and scores of the actions."""
        inputs = planes.reshape(len(planes), -1).astype(np.float32)
        hidden = np.maximum(inputs @ self.weights["w1"] + self.weights["b1"], 0)
        return inputs, hidden, hidden @ self.weights["w2"] + self.weights["b2"]

    def __call__(self, batch: Batch) -> Any:
        """Return the legal action with the highest score in each game."""
        scores = self.scores(batch.planes)[2]
        chosen = np.where(unpack_bits(batch.legal), scores, -np.inf).argmax(1)
        return np.where(batch.over, -1, chosen)

    def gradients(self, planes: Any, legal: Any, best: Any) -> tuple[float, Arrays]:
        """Return loss and gradients: the probability of all best actions together should be 1."""
        inputs, hidden, scores = self.scores(planes)
        scores = np.where(legal, scores, -1e9)
        scores -= scores.max(1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(1, keepdims=True)
        right = np.where(best, chances, 0)
        whole = right.sum(1, keepdims=True) + 1e-9
        error = (chances - right / whole) / len(planes)
        back = (error @ self.weights["w2"].T) * (hidden > 0)
        return float(-np.log(whole).mean()), {
            "w1": inputs.T @ back,
            "b1": back.sum(0),
            "w2": hidden.T @ error,
            "b2": error.sum(0),
        }


def unpack_bits(words: Any) -> Any:
    """Return words of legal steps as truth values, one for each action."""
    return (words[:, :, None] >> np.arange(64) & 1).astype(bool).reshape(len(words), -1)


def training_positions(truth: Truth, count: int, seed: int, left_out: Any) -> Any:
    """Return positions drawn from the table that are not in the sample."""
    numbers = len(next(iter(truth.table.arrays.values())))
    rng, found = np.random.default_rng(seed), np.zeros((0, 3), np.int64)
    known = {tuple(row) for row in left_out.tolist()}
    while len(found) < count:
        rows = truth.positions_of(rng.integers(0, numbers, 2 * count))[0]
        fresh = np.array([tuple(row) not in known for row in rows.tolist()])
        found = np.concatenate((found, rows[fresh]))
    return found[:count]


def pieces(rows: Any, size: int, rng: np.random.Generator) -> Iterator[Any]:
    """Yield the rows in random order, in pieces."""
    order = rng.permutation(len(rows))
    for low in range(0, len(rows) - size + 1, size):
        yield order[low : low + size]


def train(truth: Truth, network: Network, rows: Any, epochs: int, seed: int) -> float:
    """Train a network with Adam; return the last loss."""
    rng, size = np.random.default_rng(seed), min(256, len(rows))
    batch = Batch(truth.rules, size, planes=True)
    best = truth.label(rows).best
    first = {name: np.zeros_like(array) for name, array in network.weights.items()}
    second = {name: np.zeros_like(array) for name, array in network.weights.items()}
    step, loss = 0, 0.0
    for _ in range(epochs):
        for piece in pieces(rows, size, rng):
            batch.load(rows[piece])
            loss, gradients = network.gradients(
                batch.planes, unpack_bits(batch.legal), unpack_bits(best[piece])
            )
            step += 1
            rate = 2e-3 * (1 - 0.9**step) ** -1 * (1 - 0.999**step) ** 0.5
            for name, gradient in gradients.items():
                first[name] += 0.1 * (gradient - first[name])
                second[name] += 0.001 * (gradient**2 - second[name])
                network.weights[name] -= rate * first[name] / (np.sqrt(second[name]) + 1e-8)
    batch.close()
    return loss


def main() -> None:
    """Train and measure a network."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game")
    parser.add_argument("--positions", type=int, default=60_000)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--sample", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("network.npz"))
    args = parser.parse_args()
    began = time.perf_counter()
    truth = Truth(damier.load_rules(args.game))
    left_out = truth.sample(args.sample)[1]
    rows = training_positions(truth, args.positions, args.seed, left_out)
    batch = Batch(truth.rules, 1, planes=True)
    network = Network.fresh(batch.planes.size, args.hidden, batch.actions, args.seed)
    for trained in (False, True):
        if trained:
            train(truth, network, rows, args.epochs, args.seed)
        found = truth.regret(network, args.sample, planes=True)
        when = "after" if trained else "before"
        print(
            f"{found.sample}: regret {found.mean:.4f}, correct {found.correct:.1%} {when} training"
        )
    network.save(args.output)
    print(f"{args.output}, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
