"""Speed of batches of games, compared in one run with OpenSpiel and PettingZoo.

    python bench/batch.py [--games chefa badia] [--size 4096] [--threads 2]

Every figure is in million steps a second, of random play. With `--cpu` it is a second of processor
time of one core instead of a second of the clock, for a machine with other load. The lines after a
game say which targets it misses and why; the targets are for two cores, half of them for one.
Memory is that of a game on average and of the largest one, after many steps of games of any length
and of games that are truncated after 200 moves.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import damier
from damier import GAMES
from damier.batch import Batch
from damier.solve import find
from damier.truth import Truth
from measure import store

WARM_UP, STEPS = 150, 150
TARGET, TARGET_WITH_VIEWS = 15.0, 5.0  # million steps a second on two cores
TARGET_BYTES = 1000  # of a game with its history, without masks and planes
MANY_STEPS, TRAINING_MOVES = 1000, 200  # memory is measured after so many steps, also with a limit
OPEN_SPIEL = ("breakthrough", "clobber", "connect_four", "amazons")
SECONDS = 1.0  # of each of the slower environments

Clock = Callable[[], float]


def batch_speed(
    game: str, size: int, threads: int, clock: Clock, views: bool, max_moves: int = 0
) -> list[float]:
    """Return million steps a second, the bytes of a game, those of its history, and its length."""
    rules = damier.load_rules(game)
    settings: dict[str, Any] = {"threads": threads, "max_moves": max_moves}
    with Batch(rules, size, 1, planes=views, masks=views, **settings) as batch:
        actions = np.zeros(size, np.int64)
        for _ in range(WARM_UP):
            batch.step(batch.sample(actions))
        seconds = []
        for _ in range(STEPS):
            batch.sample(actions)
            began = clock()
            batch.step(actions)
            seconds.append(clock() - began)
        speed = size / median(seconds) / 1e6  # other programs interrupt some steps
        kept = float(batch.remembered.mean())
        return [speed, batch.nbytes / size, batch.history_nbytes / size, kept]


def memory(game: str, size: int, threads: int, max_moves: int) -> list[float]:
    """Return the bytes of a game on average and at most, and the positions it remembers."""
    with Batch(damier.load_rules(game), size, 1, threads=threads, max_moves=max_moves) as batch:
        actions = np.zeros(size, np.int64)
        for _ in range(MANY_STEPS):
            batch.step(batch.sample(actions))
        largest = float(batch.game_nbytes.max())
        return [batch.nbytes / size, largest, float(batch.remembered.mean())]


def misses(game: str, plain: list[float], views: list[float], share: float) -> list[str]:
    """Return the targets that a game misses, with the reasons; `share` is 1 for two cores."""
    rules, found = damier.load_rules(game), []
    superko = rules.module.superko(rules.word)
    reason = ", as steps that may repeat a position are played and looked up" if superko else ""
    for figures, target, name in (
        (plain, TARGET, "steps"),
        (views, TARGET_WITH_VIEWS, "steps with masks and planes"),
    ):
        if figures[0] < target * share:
            found.append(f"{name}: {figures[0]:.2f} of {target * share:.1f} M/s{reason}")
    return found


def memory_misses(figures: list[float], max_moves: int) -> list[str]:
    """Return whether games miss the target of memory, with the reason."""
    mean, _, kept = figures
    if mean <= TARGET_BYTES:
        return []
    games = f"games of at most {max_moves} moves" if max_moves else "random games of any length"
    return [f"bytes: {mean:.0f} of {TARGET_BYTES}, as {games} have {kept:.0f} earlier positions"]


def play_open_spiel(name: str, clock: Clock) -> float:
    """Return million random steps a second of an OpenSpiel game, driven from Python."""
    import pyspiel

    game, rng = pyspiel.load_game(name), random.Random(1)
    began, steps = clock(), 0
    while clock() - began < SECONDS:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            steps += 1
    return steps / (clock() - began) / 1e6


def play_petting_zoo(game: str, clock: Clock) -> float:
    """Return million random steps a second of the PettingZoo environment of a game."""
    import damier.pettingzoo

    env, rng = damier.pettingzoo.env(game, max_moves=200), random.Random(1)
    began, steps = clock(), 0
    while clock() - began < SECONDS:
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
            steps += 1
    return steps / (clock() - began) / 1e6


def label_speed(game: str, clock: Clock, best: bool) -> float:
    """Return million positions a second that are labelled."""
    rules = damier.load_rules(game)
    truth = Truth(rules)
    with Batch(rules, 4096, 1) as batch:
        rows = []
        for _ in range(60):
            batch.step(batch.sample())
            rows.append(batch.positions.copy())
    positions = np.concatenate(rows)[-(1 << 16 if best else 1 << 18) :]
    truth.label(positions[:10], best)
    began = clock()
    truth.label(positions, best)
    return len(positions) / (clock() - began) / 1e6


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--max-moves", type=int, default=0, help="of a game; 0 for no limit")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--store", action="store_true")
    args = parser.parse_args(arguments)
    clock: Clock = time.process_time if args.cpu else time.perf_counter
    threads = 1 if args.cpu else args.threads
    found: dict[str, object] = {"size": args.size, "threads": threads, "cpu": args.cpu}
    for game in args.games:
        plain, views = (
            batch_speed(game, args.size, threads, clock, views, args.max_moves)
            for views in (False, True)
        )
        found[game] = [plain, views]
        print(
            f"{game:12} {plain[0]:6.2f} M steps/s, {views[0]:6.2f} with masks and planes; "
            f"{plain[1] - plain[2]:.0f} and {views[1] - views[2]:.0f} bytes a game "
            f"without its history",
            flush=True,
        )
        missed = misses(game, plain, views, threads / 2)
        for max_moves in (0, TRAINING_MOVES):
            figures = memory(game, args.size, threads, max_moves)
            found[f"memory {game} {max_moves}"] = figures
            games = f"games of at most {max_moves} moves" if max_moves else "games of any length"
            print(
                f"{'':12} after {MANY_STEPS} steps of {games}: {figures[0]:.0f} bytes a game, "
                f"at most {figures[1]:.0f}, {figures[2]:.0f} positions remembered",
                flush=True,
            )
            missed += memory_misses(figures, max_moves)
        for text in missed:
            print(f"{'':12} misses the target of {text}", flush=True)
    for name in (*OPEN_SPIEL, *(f"damier_{game}" for game in args.games[:1])):
        import damier.openspiel

        found[f"OpenSpiel {name}"] = speed = play_open_spiel(name, clock)
        print(f"OpenSpiel {name}: {speed:.3f} M steps/s", flush=True)
    for game in args.games[:1]:
        found[f"PettingZoo {game}"] = speed = play_petting_zoo(game, clock)
        print(f"PettingZoo {game}: {speed:.4f} M steps/s", flush=True)
    for game in [game for game in args.games if find(damier.load_rules(game))]:
        speeds = [label_speed(game, clock, best) for best in (False, True)]
        found[f"labels {game}"] = speeds
        print(f"labels of {game}: {speeds[0]:.2f} M positions/s, with best steps {speeds[1]:.2f}")
    if args.store:
        store("batch", found)


if __name__ == "__main__":
    main()
