"""Exact values of restricted play, against brute force by the rules alone."""

import pytest

import damier
from damier import Position, Rules
from damier.execution import SerialExecutor
from damier.lab import Settings, restricted_values, run, samples, skill, text
from damier.lab.restricted_values import allowed_words, solve_restricted
from damier.solve.numbering.restricted import amounts_of, described_steps

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("own_registry")]

Words = tuple[int, int, int]


def small_fanorona(**options: str) -> Rules:
    return damier.load_rules("fanorona", board="3x3", stall="0", endgame_draw="0", **options)


def brute_value(rules: Rules, form: str, side: str) -> tuple[str | None, int]:
    """Return the winner from the start ("first", "second" or None), and how many positions.

    Values are propagated until nothing changes; what remains is a draw by endless play.
    """
    start, numbering = rules.start(), rules.folder.numbering
    assert numbering is not None
    moves: dict[Words, set[Words]] = {}
    winner: dict[Words, str | None] = {}
    waiting = [start.words]
    while waiting:
        words = waiting.pop()
        if words in moves:
            continue
        position = Position(rules, *words)
        moves[words] = set()
        result = position.result()
        if result is not None:
            winner[words] = result.winner
            continue
        after = {move.words for move in position.legal_moves()}
        if position.side == side:
            after = allowed_words(position, form)
        # No number of moves ends the game, so their count does not matter.
        moves[words] = {(w, b, numbering.uncounted(r)) for w, b, r in after}
        waiting += moves[words]
    changed = True
    while changed:
        changed = False
        for words, replies in moves.items():
            if words in winner:
                continue
            own, enemy = ("w", "b") if words[2] & 1 == 0 else ("b", "w")
            found = {winner.get(next_words) for next_words in replies}
            if own in found or found == {enemy}:
                winner[words] = own if own in found else enemy
                changed = True
    who = winner.get(start.words)
    player = None if who is None else "first" if who == start.side else "second"
    return player, len(moves)


@pytest.mark.parametrize("form", ["takes:1", "takes:2", "kind:stop"])
@pytest.mark.parametrize("side", ["w", "b"])
def test_values_of_captures_and_stops_equal_those_of_brute_force(form: str, side: str) -> None:
    rules = small_fanorona(capture="free")
    found = solve_restricted(rules, form, side, Settings(), 10**6)
    assert found is not None
    winner, positions = brute_value(rules, form, side)
    assert found.winner == winner
    assert found.restricted == ("first" if side == rules.start().side else "second")
    assert positions / 8 <= found.positions <= positions


def test_a_restriction_can_change_who_wins() -> None:
    rules = small_fanorona(capture="free")
    found = {side: solve_restricted(rules, "takes:1", side, Settings(), 10**6) for side in "wb"}
    winners = {value.winner for value in found.values() if value is not None}
    assert len(winners) == 2


def test_nothing_is_proved_where_the_budget_or_the_rules_forbid_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = small_fanorona(capture="free")
    assert solve_restricted(rules, "takes:1", "w", Settings(), 10) is None
    assert solve_restricted(damier.load_rules("badia"), "kind:swap", "w", Settings(), 10**9) is None
    # The check of the result finds a form that is not recognised as the rules describe it.
    monkeypatch.setattr(restricted_values, "forms", lambda steps: {"takes:1"})
    assert solve_restricted(rules, "takes:1", "w", Settings(), 10**6) is None


def test_steps_that_change_the_same_must_add_the_same() -> None:
    described = described_steps(small_fanorona(capture="free"))
    assert amounts_of(described, lambda action: min(action.takes.bit_count(), 2)) is not None
    assert amounts_of(described, lambda action: action.origin) is None


def test_a_report_shows_proved_values_of_restricted_play_beside_measured_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(samples, "ANALYSIS_NODES", 20)
    monkeypatch.setattr(skill, "DOUBLINGS", 1)
    monkeypatch.setattr("damier.arena.OPENING_NODES", 20)
    monkeypatch.setattr("damier.lab.restricted.NODES", 20)
    rules = small_fanorona(capture="free")
    settings = Settings(seconds=5.0, strengths=("random",), against=("capture=forced",))
    report = run(rules, settings, SerialExecutor())
    section = report.sections[-1]
    grid = section.grids[-1]
    assert grid.name == "restrictions"
    assert grid.columns == ("first", "second", "points", "verdict")
    rows = {about["form"]: cells for about, cells in grid.rows}
    for form, cells in rows.items():
        for cell, side in zip(cells[:2], "wb", strict=True):
            winner, _ = brute_value(rules, str(form), side)
            assert cell.value == f"lab.value.{winner or 'draw'}"
    shown = dict(text.grid_rows(report, grid))
    assert all(
        cell in ("draw", "first player wins", "second player wins")
        for cell in shown["capturing"][:2]
    )
    unfinished = report.find("restriction-unfinished", form="takes:1")
    assert unfinished is not None
    assert unfinished.interval is not None
