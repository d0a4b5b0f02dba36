"""Experiment: solve if possible, play and analyse sample games, and compute the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from damier import __version__
from damier.execution import Executor, Task
from damier.lab import (
    draws_and_length,
    fairness,
    first_moves,
    liveliness,
    mirroring,
    restricted,
    rule_value,
    skill,
    summary,
)
from damier.lab.budget import Settings, affordable, cost
from damier.lab.comparison import Comparison, ExactSummary, first_differences, table_changes
from damier.lab.exact import ExactValues, SolvingPlan, exact_values, plan_for
from damier.lab.journal import Journal
from damier.lab.matches import MatchResult, Runner
from damier.lab.report import Figure, Report
from damier.lab.restricted_values import RestrictedValue, solve_restricted
from damier.lab.samples import analyse, play
from damier.lab.variants import Variant, variants_of
from damier.position import Rules

SEEDS = 1_000_003  # between the seeds of games of two experiments
PILOT = 6  # games of each strength, from which the cost of a game is estimated
# More would hardly narrow the intervals.
MAX_GAMES, MAX_ANALYSED_GAMES, MAX_REPLAYED = 1000, 100, 60
# Shares of the work: games (more for stronger players), their analysis, matches, other rules,
# restricted play, mirroring.
GAMES_SHARE, ANALYSIS_SHARE, SKILL_SHARE, RULES_SHARE = 0.27, 0.17, 0.18, 0.25
RESTRICTED_SHARE, MIRROR_SHARE = 0.09, 0.04
REPLAY_SHARE = 0.2  # of the work for other rules
ANALYSED_MOVE_S = 0.006  # work of the analysis of one move
LISTED_MOVES_S = 0.0015  # work of listing the moves of a position
COMPARED_PER_SOLVED = 4  # positions are compared so much faster than solved
Progress = Callable[[str, float], None]  # the stage, and the share of the work that is done


@dataclass
class Experiment:
    """An experiment on a game: its settings, where it runs, and what is known so far."""

    rules: Rules
    settings: Settings
    executor: Executor
    journal: Journal
    progress: Progress
    samples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    _done: float = 0.0  # share of the work
    _positions: int = 0  # that may still be solved

    def __post_init__(self) -> None:
        """Set what the budget allows."""
        self._positions = self.settings.positions

    def games(self) -> None:
        """Play the sample games: a pilot for each strength, then as many as the budget allows."""
        strengths = self.settings.strengths
        weights = [k + 1 for k in range(len(strengths))]
        for who, weight in zip(strengths, weights, strict=True):
            part = GAMES_SHARE * weight / sum(weights)
            self.samples[who] = self._sample(self.rules, who, part, MAX_GAMES)

    def _sample(self, rules: Rules, who: str, part: float, most: int) -> list[dict[str, Any]]:
        """Return games: a pilot, then as many as a share of the work allows."""
        pilot = self._play(rules, who, 0, PILOT, 0.1 * part)
        moves = sum(len(sample["moves"]) for sample in pilot)
        one = cost(moves, sum(sample["nodes"] for sample in pilot)) / PILOT
        count = affordable(self.settings.work * part, one, PILOT, most)
        return pilot + self._play(rules, who, PILOT, count, 0.9 * part)

    def _play(
        self, rules: Rules, who: str, first: int, end: int, part: float
    ) -> list[dict[str, Any]]:
        seeds = [self.settings.seed * SEEDS + number for number in range(first, end)]
        name = ",".join(rules.values)
        tasks = [Task(f"game {name} {who} {seed}", play, (rules, who, seed)) for seed in seeds]
        return self._run("games", tasks, part)

    def analyses(self, who: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return games between players of a strength and their analyses, as the budget allows."""
        games = self.samples[who]
        one = ANALYSED_MOVE_S * sum(len(sample["moves"]) for sample in games) / len(games)
        work = self.settings.work * ANALYSIS_SHARE
        games = games[: affordable(work, one, PILOT, MAX_ANALYSED_GAMES)]
        tasks = [
            Task(f"analysis {who} {k}", analyse, (self.rules, sample["moves"], k))
            for k, sample in enumerate(games)
        ]
        return games, self._run("analysis", tasks, ANALYSIS_SHARE)

    def skill(self) -> list[MatchResult]:
        """Play the matches between players of different strength."""
        work = self.settings.work * SKILL_SHARE
        with self._matches("matches", SKILL_SHARE) as run_pairs:
            return skill.measure(self.rules, work, self.settings.seed, run_pairs)

    def restricted(self, analyses: list[dict[str, Any]]) -> list[MatchResult]:
        """Play the matches against players that must not play some moves."""
        found = restricted.restrictions(analyses)
        work = self.settings.work * RESTRICTED_SHARE
        with self._matches("restricted", RESTRICTED_SHARE) as run_pairs:
            return restricted.measure(self.rules, found, work, self.settings.seed, run_pairs)

    def restricted_values(
        self, exact: ExactValues | None, results: list[MatchResult]
    ) -> dict[str, list[RestrictedValue]]:
        """Return the proved values of restricted play, by form.

        They are sought for a game that is solved, as far as its size without symmetry of colours
        leaves room in the budget.
        """
        proved: dict[str, list[RestrictedValue]] = {}
        if exact is None or not self.settings.solve:
            return proved
        size = exact.numbers * (2 if self.rules.module.COLOUR_SWAP else 1)
        for form in [result.second for result in results]:
            for side in "wb":
                if size > self._positions:
                    return proved
                value = solve_restricted(
                    self.rules, form, side, self.settings, self._positions, self._solving
                )
                self._positions -= size if value is None else max(size, value.positions)
                if value is not None:
                    proved.setdefault(form, []).append(value)
        return proved

    @contextmanager
    def _matches(self, stage: str, part: float) -> Iterator[Runner]:
        """Return a function that runs the tasks of matches, a share of all work, and their end."""
        end = self._done + part

        def run_pairs(
            tasks: list[Task], skip: Callable[[Task], bool]
        ) -> Iterable[tuple[Task, dict[str, Any]]]:
            self.progress(stage, self._done)
            for task, pair in self.journal.run(self.executor, tasks, skip=skip):
                # How many pairs are needed is not known: each takes a part of what is left.
                self._done += 0.01 * (end - self._done)
                self.progress(stage, self._done)
                yield task, pair

        yield run_pairs
        self._done = end

    def mirroring(self) -> list[Figure]:
        """Play games in which the second player copies moves; return the figures."""
        symmetries = mirroring.mirrors(self.rules)
        if not symmetries:
            self._done += MIRROR_SHARE
            return []
        who, rules, seed = self.settings.compared, self.rules, self.settings.seed
        trials = {
            symmetry: self._run(
                "mirroring",
                [
                    Task(
                        f"mirror {symmetry} random {k}",
                        mirroring.play,
                        (rules, "random", symmetry, k),
                    )
                    for k in range(mirroring.TRIALS)
                ],
                0.3 * MIRROR_SHARE / len(symmetries),
            )
            for symmetry in symmetries
        }
        best = mirroring.best_mirror(trials)
        usual = self.samples[who]
        moves, nodes = (
            sum(len(sample["moves"]) for sample in usual),
            sum(sample["nodes"] for sample in usual),
        )
        work = 0.7 * MIRROR_SHARE * self.settings.work
        count = affordable(work, cost(moves, nodes) / len(usual), PILOT, MAX_GAMES)
        tasks = [
            Task(f"mirror {best} {who} {k}", mirroring.play, (rules, who, best, seed * SEEDS + k))
            for k in range(count)
        ]
        return mirroring.figures(self._run("mirroring", tasks, 0.7 * MIRROR_SHARE), usual, who)

    def first_moves(self) -> list[list[Any]]:
        """Return the first moves with the values of a search."""
        task = Task("first moves", first_moves.search, (self.rules,))
        found: list[list[Any]] = self._run("analysis", [task], 0.0)[0]
        return found

    def comparisons(self, exact: ExactValues | None) -> list[Comparison]:
        """Compare the rules with their variants."""
        variants = variants_of(self.rules, self.settings.against)
        who = self.settings.compared
        before = self.samples[who]
        exact_parts = self._solve(variants, exact)
        replayed = self._replay(variants, before)
        part = RULES_SHARE * (1 - REPLAY_SHARE) / max(1, len(variants))
        found = []
        for k, variant in enumerate(variants):
            comparison = Comparison(variant, before, used=[used[k] for used in replayed])
            comparison.after = self._sample(variant.rules, who, part, MAX_GAMES)
            comparison.exact, comparison.changes = exact_parts[k]
            found.append(comparison)
        return found

    def _solve(self, variants: list[Variant], exact: ExactValues | None) -> list[Any]:
        """Return exact values of the rules and each variant, and the changes of positions."""
        if not self.settings.solve:
            return [((None, None), None)] * len(variants)
        left = self._positions
        if exact is not None and exact.solved:
            left -= exact.numbers
        one = None if exact is None else ExactSummary.of(exact)
        found: list[Any] = []
        for variant in variants:
            plan = plan_for(variant.rules, self.settings, max(left, 0))
            if plan.kind == "attempt" and exact is None:
                plan = replace(plan, most=min(left, 0))  # other rules hardly make it smaller
            other = exact_values(variant.rules, self.settings, plan, self._solving)
            if other is None:
                if plan.solves:
                    left = 0  # it was spent
                found.append(((one, None), None))
                continue
            left -= other.numbers if other.solved else 0
            changes = None
            if exact is not None:
                most = COMPARED_PER_SOLVED * max(left, 0)
                changes = table_changes(exact, other, most)
                left -= 0 if changes is None else exact.numbers // COMPARED_PER_SOLVED
            found.append(((one, ExactSummary.of(other)), changes))
        self._positions = left
        return found

    def _solving(self, what: str, part: float) -> None:
        """Report the progress of a solver, which is not part of the work for measurements."""
        self.progress(what, self._done)

    def _replay(
        self, variants: list[Variant], games: list[dict[str, Any]]
    ) -> list[list[int | None]]:
        """Return for each replayed game the first difference that each variant makes."""
        if not variants:
            return []
        moves = sum(len(sample["moves"]) for sample in games) / len(games)
        one = LISTED_MOVES_S * moves * (1 + len(variants))
        work = self.settings.work * RULES_SHARE * REPLAY_SHARE
        games = games[: affordable(work, one, PILOT, MAX_REPLAYED)]
        others = [variant.rules for variant in variants]
        name = " ".join(variant.text for variant in variants)
        tasks = [
            Task(f"replay {name} {k}", first_differences, (self.rules, others, sample["moves"]))
            for k, sample in enumerate(games)
        ]
        return self._run("rules", tasks, RULES_SHARE * REPLAY_SHARE)

    def _run(self, stage: str, tasks: list[Task], part: float) -> list[Any]:
        """Return the results of tasks, which are a part of all work."""

        def done() -> None:
            self._done += part / len(tasks)
            self.progress(stage, min(1.0, self._done))

        return [result for _, result in self.journal.run(self.executor, tasks, done=done)]


def run(
    rules: Rules,
    settings: Settings,
    executor: Executor,
    journal: Journal | None = None,
    progress: Progress = lambda stage, part: None,
    plan: SolvingPlan | None = None,
) -> Report:
    """Run an experiment and return its report.

    With a journal in a file, an interrupted experiment can be continued with the same arguments.
    """
    journal = Journal() if journal is None else journal
    variants_of(rules, settings.against)  # raises DamierError before anything is computed
    plan = plan or plan_for(rules, settings)
    exact = exact_values(rules, settings, plan, progress)
    experiment = Experiment(rules, settings, executor, journal, progress)
    experiment.games()
    return _report(experiment, plan, exact)


def _report(experiment: Experiment, plan: SolvingPlan, exact: ExactValues | None) -> Report:
    """Analyse the games and compute the sections and the summary."""
    rules, settings, samples = experiment.rules, experiment.settings, experiment.samples
    strongest = settings.strengths[-1]
    games, analyses = experiment.analyses(strongest)
    matches = experiment.skill()
    comparisons = experiment.comparisons(exact)
    restrictions = experiment.restricted(analyses)
    proved = experiment.restricted_values(exact, restrictions)
    mirrored = experiment.mirroring()
    sections = [
        fairness.section(samples, exact, experiment.first_moves()),
        skill.section(matches),
        draws_and_length.section(samples, exact),
        liveliness.section(rules, games, analyses, strongest, exact, settings.seed, mirrored),
    ]
    if comparisons or restrictions:
        sections.append(rule_value.section(comparisons, restrictions, proved, settings.compared))
    report = Report(
        rules.name,
        dict(rules.options),
        __version__,
        asdict(settings),
        plan.kind if exact is not None or not plan.solves else "failed",
        (),
        tuple(sections),
    )
    return replace(report, summary=summary.sentences(report, strongest))
