"""Value of each rule: exact changes against brute force, and rules whose effect is known."""

from functools import cache
from pathlib import Path

import pytest

import damier
from damier import Rules
from damier.errors import DamierError
from damier.execution import SerialExecutor
from damier.games import load
from damier.lab import Report, Settings, comparison, html, markdown, rule_value, run, samples, skill
from damier.lab.comparison import Comparison, first_differences, table_changes
from damier.lab.exact import SolvingPlan, exact_values, plan_for
from damier.lab.report import Grid
from damier.lab.variants import Variant, other_values, variants_of
from damier.solve import tables
from damier.solve.tables.comparison import Changes, compare

pytestmark = pytest.mark.usefixtures("own_registry")

FOLDER = Path(__file__).parents[1] / "data" / "games"
ROWS = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)
TURNS = [
    tuple(3 * y + x for y, x in cells)
    for flip in (False, True)
    for cells in (
        [(y, 2 - x if flip else x) for y in range(3) for x in range(3)],
        [(2 - x if flip else x, 2 - y) for y in range(3) for x in range(3)],
        [(2 - y, x if flip else 2 - x) for y in range(3) for x in range(3)],
        [(x if flip else 2 - x, y) for y in range(3) for x in range(3)],
    )
]


@pytest.fixture(autouse=True)
def _few_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "ANALYSIS_NODES", 20)
    monkeypatch.setattr(skill, "DOUBLINGS", 1)
    monkeypatch.setattr("damier.arena.OPENING_NODES", 20)


def crosses(**options: str) -> Rules:
    return damier.load_rules(load(FOLDER / "crosses.py").name, **options)


def brute_values(rows: int, full: int) -> dict[tuple[int, int], int]:
    """Return the first player's points, doubled, in every reachable position."""

    @cache
    def value(w: int, b: int) -> int:
        for cells, points in ((w, 2), (b, 0)):
            if any(cells & row == row for row in ROWS[:rows]):
                return points
        free = [1 << k for k in range(9) if not (w | b) >> k & 1]
        if not free:
            return full
        if len(free) % 2:
            return max(value(w | cell, b) for cell in free)
        return min(value(w, b | cell) for cell in free)

    found: dict[tuple[int, int], int] = {}
    waiting = [(0, 0)]
    while waiting:
        w, b = waiting.pop()
        if (w, b) in found:
            continue
        found[w, b] = value(w, b)
        over = any(cells & row == row for cells in (w, b) for row in ROWS[:rows])
        free = [1 << k for k in range(9) if not (w | b) >> k & 1]
        if not over:
            waiting += [(w | c, b) if len(free) % 2 else (w, b | c) for c in free]
    return found


def least(w: int, b: int) -> tuple[int, int]:
    """Return the least image of a position."""
    return min(
        (
            sum(1 << to[k] for k in range(9) if w >> k & 1),
            sum(1 << to[k] for k in range(9) if b >> k & 1),
        )
        for to in TURNS
    )


@pytest.mark.slow
def test_exact_changes_equal_those_of_brute_force() -> None:
    base = crosses()
    settings = Settings()
    one = exact_values(base, settings, plan_for(base, settings))
    assert one is not None
    before = brute_values(8, 1)
    for change, rows, full in (({"diagonals": "no"}, 6, 1), ({"full": "second"}, 8, 0)):
        other = exact_values(crosses(**change), settings, plan_for(crosses(**change), settings))
        assert other is not None
        after = brute_values(rows, full)
        common = {least(*position) for position in before.keys() & after.keys()}
        changed = {position for position in common if before[position] != after[position]}
        changes = table_changes(one, other, 10**6)
        assert changes is not None
        assert (changes.positions, changes.outcomes) == (len(common), len(changed))
        assert changed
        assert other.points == after[0, 0] / 2
    same = exact_values(crosses(ink="blue"), settings, plan_for(crosses(ink="blue"), settings))
    assert same is not None
    assert table_changes(one, same, 10**6) == Changes(len({least(*p) for p in before}), 0, 0)
    assert table_changes(one, same, 10) is None
    summaries = comparison.ExactSummary.of(one), comparison.ExactSummary.of(same)
    found = Comparison(Variant(same.rules, ()), [], exact=summaries)
    found.changes = table_changes(one, same, 10**6)
    assert rule_value.effect_of(found, 1) == (0.0, "none-proved")


@pytest.mark.slow
def test_tiers_and_whole_tables_are_compared() -> None:
    settings = Settings()
    games = [
        damier.load_rules("fanorona", board="3x3", endgame_draw=0, stall=0, capture=capture)
        for capture in ("free", "forced")
    ]
    free, forced = (exact_values(rules, settings, plan_for(rules, settings)) for rules in games)
    assert free is not None
    assert forced is not None
    changes = compare(free.table, forced.table)
    assert changes.positions == sum(free.total(what) for what in ("won", "drawn", "lost"))
    assert 0 < changes.outcomes < changes.positions
    assert compare(free.table, free.table) == Changes(changes.positions, 0, 0)
    straight, track = (
        tables.find(damier.load_rules("fraha", line=o)) for o in ("straight", "track")
    )
    assert straight is not None
    assert track is not None
    changes = compare(straight, track)
    totals = straight.header["counts"].values()
    whole = sum(part[what] for part in totals for what in ("won", "drawn", "lost"))
    assert changes.positions == whole
    assert 0 < changes.outcomes < whole


def test_a_rule_comes_into_play_when_moves_or_results_differ() -> None:
    moves = ["a1", "a2", "b2", "b1", "c3"]
    others = [crosses(diagonals="no"), crosses(ink="blue"), crosses(full="second")]
    assert first_differences(crosses(), others, moves) == [5, None, None]
    smaller = damier.load_rules("fanorona", board="3x3")
    assert first_differences(damier.load_rules("fanorona"), [smaller], []) == [0]


def game(winner: str | None, moves: int, reason: str | None = "line") -> dict[str, object]:
    return {"moves": ["a1"] * moves, "winner": winner, "reason": reason, "nodes": 0}


def test_changes_between_samples_with_known_answers() -> None:
    variant = Variant(crosses(ink="blue"), (("ink", "blue"),))
    won = [game("first", 9)] * 60
    lost = [game("second", 9)] * 60
    decided = Comparison(variant, won, lost, used=[1] * 6)
    assert decided.score.value == -1
    effect, verdict = rule_value.effect_of(decided, 4)
    assert verdict == "measured"
    assert 0.75 < effect < 1
    same = Comparison(variant, won, won, used=[None] * 6)
    assert rule_value.effect_of(same, 4) == (0.0, "unseen")
    assert rule_value.effect_of(Comparison(variant, won, won, used=[3, None]), 4) == (0.0, "open")
    drawn = Comparison(variant, won, [game(None, 9, "stalled")] * 60)
    assert drawn.drawn.value == 1
    stopped = Comparison(variant, won, [game(None, 400, None)] * 60)
    assert stopped.unfinished.value == 1
    assert stopped.drawn.value is None
    longer = Comparison(
        variant, [game("first", n) for n in (9, 10, 11)] * 9, [game("first", 40)] * 9
    )
    assert longer.length.value == 30
    assert rule_value.effect_of(longer, 1)[0] > 0.7


@pytest.fixture
def report() -> Report:
    settings = Settings(seconds=0.1, strengths=("random",))
    return run(crosses(), settings, SerialExecutor(), plan=SolvingPlan("endings"))


@pytest.mark.slow
def test_every_option_is_ranked(report: Report, tmp_path: Path) -> None:
    section = report.sections[-1]
    assert section.name == "rules"
    grid: Grid = section.grids[0]
    assert {about["change"] for about, _ in grid.rows} == {
        "diagonals=no",
        "ink=blue",
        "full=second",
    }
    by_change = {
        about["change"]: dict(zip(grid.columns, cells, strict=True)) for about, cells in grid.rows
    }
    assert by_change["ink=blue"]["verdict"].value == "lab.verdict.unseen"
    assert by_change["ink=blue"]["in-play"].value == 0
    for shown in (html.page(report), _markdown(report, tmp_path)):
        assert "Rules by their effect" in shown
        assert "Ink: Blue" in shown
        assert "never came into play" in shown


def _markdown(report: Report, folder: Path) -> str:
    markdown.write(report, folder / "report.md")
    return (folder / "report.md").read_text("utf-8")


@pytest.mark.slow
def test_pairs_are_compared_with_their_parts() -> None:
    found = variants_of(crosses(), ["diagonals=no,full=second", "ink=blue"])
    assert [variant.text for variant in found] == [
        "diagonals=no",
        "full=second",
        "diagonals=no,full=second",
        "ink=blue",
    ]
    settings = Settings(seconds=0.1, strengths=("random",), against=("diagonals=no,full=second",))
    report = run(crosses(), settings, SerialExecutor(), plan=SolvingPlan("endings"))
    interaction = report.find("rule-interaction", change="diagonals=no,full=second")
    assert interaction is not None
    assert interaction.sample == 6
    assert report.find("rule-interaction", change="ink=blue") is None


@pytest.mark.parametrize(
    ("against", "message"),
    [
        ("ink=black", "in use already"),
        ("ink=green", "green"),
        ("pen=blue", "pen"),
        ("ink", "ink"),
        ("diagonals=no,ink=black", "in use already"),
    ],
)
def test_bad_variants_are_refused(against: str, message: str) -> None:
    with pytest.raises(DamierError, match=message):
        variants_of(crosses(), [against])


def test_values_that_are_compared() -> None:
    options = {option.name: option for option in damier.load_rules("fanorona").module.OPTIONS}
    assert other_values(options["stall"], "100") == ["0", "50", "200"]
    assert other_values(options["stall"], "0") == ["100"]
    assert other_values(options["stall"], "4095") == ["0", "2047"]
    assert other_values(options["capture"], "free") == ["forced"]
    boards = options["board"].values
    assert other_values(options["board"], boards[2]) == [boards[1], boards[3]]
    assert other_values(options["board"], boards[0]) == [boards[1]]
