"""Tables as pure logic: whatever players do in whatever order, the list of events says it all."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damier import GAMES
from damier.errors import DamierError
from damier.online import events as e
from damier.online import table as t
from damier.online.clock import DAY, MINUTE, MOST_LAG
from damier.online.events import ACT, EVENT, Side, other
from damier.online.table import Decision, Moment, Table

START = 1_700_000_000_000
LIVE = e.LiveClock(minutes=3, seconds=2)
DAYS = e.DaysClock(days=2)


def table_of(game: str = "chefa", joined: bool = True, **terms: Any) -> tuple[Table, list[e.Event]]:
    """Return a table with Ada as White and Blaise as Black, and its events."""
    agreed = e.Terms(game=game, **{"colour": "w", **terms})
    events: list[e.Event] = [e.Created(version=1, at=START, creator="ada", terms=agreed)]
    table = t.fold("g", events)
    if joined:
        decision = t.join(table, "blaise", START, "w")
        table, events = decision.table, events + decision.events
    return table, events


def act(kind: str, **more: Any) -> e.Act:
    return ACT.validate_python({"kind": kind, **more})


def done(table: Table, side: Side, what: e.Act, after: int = 1000, **more: Any) -> Decision:
    moment = Moment(table.updated + after, more.pop("seen", table.version), **more)
    return t.decide(table, what, side, moment)


def played(table: Table, count: int, after: int = 1000) -> tuple[Table, list[e.Event]]:
    """Return a table after so many turns, each the first that there is."""
    events: list[e.Event] = []
    for _ in range(count):
        assert table.to_move is not None
        turn = table.play.turns()[0].text
        decision = done(table, table.to_move, act("turn", turn=turn), after)
        table, events = decision.table, events + decision.events
    return table, events


# ---- anything, in any order ----------------------------------------------------------------------

WHATS = st.sampled_from(["draw", "takeback", "rematch"])
DEEDS = st.one_of(
    st.tuples(st.just("turn"), st.integers(0, 29)),
    st.tuples(st.just("turn"), st.integers(0, 29)),
    st.tuples(st.sampled_from(["offer", "accept", "decline"]), WHATS),
    st.tuples(st.sampled_from(["resign", "abort", "junk", "expire", "outage"]), st.none()),
    st.tuples(st.just("phrase"), st.sampled_from(["hello", "thanks"])),
    st.tuples(st.just("lines"), st.integers(0, 29)),
)
STEPS = st.lists(
    st.tuples(
        DEEDS, st.sampled_from("wb"), st.sampled_from([0, 5, 700, 40_000, DAY]), st.integers(0, 900)
    ),
    max_size=40,
)


def some_turn(table: Table, number: int) -> str:
    found = [turn.text for turn in islice(table.play.position.iter_turns(), 30)]
    return found[number % len(found)] if found else "--"


def attempt(
    table: Table, deed: tuple[str, Any], side: Side, moment: Moment
) -> Decision:  # fmt: skip
    kind, detail = deed
    if kind == "expire":
        return t.expired(table, moment.now)
    if kind == "outage":
        return t.away(table, moment.now, moment.now - 500)
    if kind == "turn":
        return t.decide(table, act("turn", turn=some_turn(table, detail)), side, moment)
    if kind == "lines":
        first = some_turn(table, detail)
        then = some_turn(replace(table, play=table.play.play(first)), detail)
        return t.decide(table, act("lines", lines=[[first, then]]), side, moment)
    if kind == "junk":
        return t.decide(table, act("turn", turn="a1-z9"), side, moment)
    more = {"phrase": {"phrase": detail}, "resign": {}, "abort": {}}.get(kind, {"what": detail})
    return t.decide(table, act(kind, **more), side, moment)


@settings(max_examples=120, deadline=None)
@given(
    steps=STEPS,
    game=st.sampled_from(list(GAMES)),
    clock=st.sampled_from([e.NoClock(), LIVE, DAYS]),
    rated=st.booleans(),
)
def test_any_order_of_acts_keeps_the_books_straight(
    steps: Any, game: str, clock: Any, rated: bool
) -> None:
    table, events = table_of(game, clock=clock, rated=rated and clock.kind != "none")
    now = START
    lines: Mapping[Side, t.Lines] = {}
    for deed, side, passed, lag in steps:
        now += passed
        moment = Moment(now, table.version, lag, "again", lines)
        try:
            decision = attempt(table, deed, side, moment)
        except DamierError:
            continue
        check(table, decision)
        table, events = decision.table, events + decision.events
        lines = lines if decision.lines is None else decision.lines
    kept = [EVENT.validate_json(event.model_dump_json()) for event in events]
    assert kept == events
    assert t.fold("g", kept) == table
    assert [event.version for event in kept] == list(range(1, len(kept) + 1))


def check(before: Table, decision: Decision) -> None:
    """What holds after every act."""
    table, events = decision.table, decision.events
    assert table.version == before.version + len(events)
    if before.status in ("over", "aborted"):
        assert table.turns == before.turns
        assert (table.status, table.result) == (before.status, before.result)
    for side in ("w", "b"):
        left = table.clock.hand(side).left
        assert left is None or left >= 0
        assert 0 <= table.clock.hand(side).reserve <= 1000
    if table.status == "playing":
        assert table.clock.moving == table.play.position.side == table.to_move
        assert not table.play.over
    else:
        assert table.clock.moving is None
        assert t.due(table) is None
    if any(isinstance(event, e.Ended) for event in events):
        assert table.status == "over"
        assert not table.offers
    assert len(table.spent) == table.play.ply


# ---- one thing at a time -------------------------------------------------------------------------


def refused(table: Table, side: Side, what: e.Act, **more: Any) -> str:
    with pytest.raises(DamierError) as caught:
        done(table, side, what, **more)
    assert str(caught.value)
    return caught.value.key


def test_the_lot_is_drawn_when_the_second_player_comes() -> None:
    table, _ = table_of(joined=False, colour="lot")
    assert (table.w, table.b) == (None, None)
    assert t.join(table, "blaise", START, "b").table.w == "blaise"
    assert t.join(table, "blaise", START, "w").table.w == "ada"
    for player, key in (("ada", "own-table"),):
        with pytest.raises(DamierError, match="yourself") as caught:
            t.join(table, player, START, "w")
        assert caught.value.key == key


def test_a_seat_is_taken_once() -> None:
    table, _ = table_of()
    assert (table.seat("ada"), table.seat("blaise"), table.seat("eve")) == ("w", "b", None)
    with pytest.raises(DamierError) as caught:
        t.join(table, "eve", START, "w")
    assert caught.value.key == "seat-taken"


def test_only_the_side_to_move_plays_and_only_what_is_legal() -> None:
    table, _ = table_of()
    turn = table.play.turns()[0].text
    assert refused(table, "b", act("turn", turn=turn)) == "not-your-turn"
    assert refused(table, "w", act("turn", turn="a1-z9")) in ("turn-cell", "turn-form")
    after = done(table, "w", act("turn", turn=turn)).table
    assert after.turns == [turn]
    # What was meant for an older position is not played in a newer one.
    assert refused(after, "b", act("turn", turn=turn), seen=table.version) == "moved-on"


def test_before_the_second_player_nothing_is_played() -> None:
    table, _ = table_of(joined=False)
    assert refused(table, "w", act("turn", turn="a1")) == "not-begun"
    assert refused(table, "w", act("resign")) == "not-begun"
    assert done(table, "w", act("abort")).table.status == "aborted"


def test_draws_are_agreed() -> None:
    table, _ = table_of()
    assert refused(table, "b", act("accept", what="draw")) == "no-offer"
    offered = done(table, "w", act("offer", what="draw")).table
    assert offered.offers == {"draw": "w"}
    assert refused(offered, "w", act("offer", what="draw")) == "offered-already"
    assert refused(offered, "w", act("accept", what="draw")) == "no-offer"
    for answer in ("accept", "offer"):
        over = done(offered, "b", act(answer, what="draw")).table
        assert (over.status, over.winner, over.reason) == ("over", None, "agreed")
    declined = done(offered, "b", act("decline", what="draw")).table
    assert declined.offers == {}
    assert refused(declined, "w", act("offer", what="draw")) == "offered-before"
    moved, _ = played(declined, 2)
    assert done(moved, "w", act("offer", what="draw")).table.offers == {"draw": "w"}


def test_an_offer_stands_until_the_other_plays() -> None:
    table, _ = table_of()
    offered = done(table, "w", act("offer", what="draw")).table
    mine, _ = played(offered, 1)
    assert mine.offers == {"draw": "w"}
    his, _ = played(mine, 1)
    assert his.offers == {}


@pytest.mark.parametrize(
    ("turns", "asker", "left"), [(1, "w", 0), (2, "w", 0), (3, "b", 1), (3, "w", 2)]
)
def test_turns_are_taken_back_to_before_the_asker_s_last(
    turns: int, asker: Side, left: int
) -> None:
    table, _ = played(table_of()[0], turns)
    offered = done(table, asker, act("offer", what="takeback")).table
    back = done(offered, other(asker), act("accept", what="takeback"))
    assert back.table.play.ply == left
    assert back.table.to_move == asker
    assert back.lines == {}
    assert isinstance(back.events[-1], e.TakenBack)


def test_nothing_is_taken_back_in_a_rated_game_or_before_the_first_turn() -> None:
    rated, _ = played(table_of(rated=True, clock=LIVE)[0], 2)
    assert refused(rated, "w", act("offer", what="takeback")) == "takeback-rated"
    assert refused(table_of()[0], "w", act("offer", what="takeback")) == "nothing-to-undo"


def test_a_rematch_has_colours_changed() -> None:
    table, _ = table_of(clock=LIVE, rated=True, open=True)
    assert refused(table, "w", act("offer", what="rematch")) == "not-over"
    over = done(table, "w", act("resign")).table
    assert (over.winner, over.reason) == ("b", "resigned")
    offered = done(over, "b", act("offer", what="rematch")).table
    decision = done(offered, "w", act("accept", what="rematch"), fresh="again")
    assert decision.table.rematch == "again"
    assert decision.rematch is not None
    again = t.fold("again", decision.rematch)
    assert (again.w, again.b, again.status) == ("blaise", "ada", "playing")
    assert (again.terms.clock, again.terms.rated, again.terms.open) == (LIVE, True, False)
    assert refused(decision.table, "w", act("offer", what="rematch")) == "rematch-on"


def test_a_game_is_called_off_only_before_both_have_played() -> None:
    table, _ = played(table_of()[0], 1)
    assert done(table, "b", act("abort")).table.status == "aborted"
    table, _ = played(table, 1)
    assert refused(table, "w", act("abort")) == "no-abort"


def test_phrases_end_somewhere() -> None:
    table, _ = table_of()
    for _ in range(t.MOST_PHRASES):
        table = done(table, "w", act("phrase", phrase="hello")).table
    assert refused(table, "w", act("phrase", phrase="hello")) == "too-many-phrases"
    assert done(table, "b", act("phrase", phrase="bye")).table.phrases[-1].by == "b"


# ---- time ----------------------------------------------------------------------------------------


def test_first_turns_are_free_and_then_time_runs() -> None:
    table, _ = table_of(clock=LIVE)
    assert not table.clock.counts
    table, _ = played(table, 2, after=30_000)
    assert (table.clock.hand("w").left, table.clock.hand("b").left) == (180_000, 180_000)
    table, _ = played(table, 1, after=30_000)
    assert table.clock.hand("w").left == 180_000 - 30_000 + 2_000
    assert table.spent == (30_000, 30_000, 30_000)


def test_who_never_plays_a_first_turn_has_the_game_called_off() -> None:
    for open_, allowed in ((True, MINUTE), (False, 15 * MINUTE)):
        table, _ = table_of(clock=LIVE, open=open_)
        assert table.clock.deadline == START + allowed
        due = t.due(table)
        assert due is not None
        assert t.expired(table, due - 1).events == []
        assert t.expired(table, due).table.status == "aborted"


@pytest.mark.parametrize("clock", [LIVE, DAYS])
def test_a_flag_falls_and_the_other_wins(clock: Any) -> None:
    table, _ = played(table_of(clock=clock)[0], 3)
    due = t.due(table)
    assert due is not None
    assert t.expired(table, due - 1).events == []
    decision = t.expired(table, due)
    assert [event.kind for event in decision.events] == ["flagged", "ended"]
    assert (decision.table.winner, decision.table.reason) == ("w", "time")
    assert decision.table.clock.hand("b").left == 0
    assert t.expired(decision.table, due + DAY).events == []


def test_a_turn_that_comes_too_late_is_a_fallen_flag() -> None:
    table, _ = played(table_of(clock=LIVE)[0], 2)
    turn = table.play.turns()[0].text
    late = done(table, "w", act("turn", turn=turn), after=180_000)
    assert [event.kind for event in late.events] == ["flagged", "ended"]
    just = done(table, "w", act("turn", turn=turn), after=179_999)
    assert just.table.clock.hand("w").left == 1 + 2_000


def test_lag_is_let_off_within_bounds() -> None:
    table, _ = played(table_of(clock=LIVE)[0], 2)
    turn = table.play.turns()[0].text
    spent = []
    for lag in (0, 100, 400, 10_000):
        decision = done(table, "w", act("turn", turn=turn), after=5_000, lag=lag)
        (event,) = decision.events
        assert isinstance(event, e.TurnPlayed)
        spent.append((event.spent, event.lag))
    assert spent == [(5_000, 0), (4_900, 100), (4_600, 400), (4_500, MOST_LAG)]
    # Just too late, but for the way.
    assert (
        done(table, "w", act("turn", turn=turn), after=180_300, lag=400).table.status == "playing"
    )
    # Who is always slow lives on what comes in.
    allowed = []
    for _ in range(16):
        assert table.to_move is not None
        turn = table.play.turns()[0].text
        decision = done(table, table.to_move, act("turn", turn=turn), after=5_000, lag=500)
        table = decision.table
        allowed += [event.lag for event in decision.events if isinstance(event, e.TurnPlayed)][:1]
    allowed = allowed[::2]
    assert allowed[0] == MOST_LAG
    assert allowed[-1] == 100
    assert sum(allowed) <= 1000 + 100 * len(allowed)


def test_an_outage_is_given_back() -> None:
    table, _ = played(table_of(clock=LIVE)[0], 2)
    deadline = table.clock.deadline
    assert deadline is not None
    now = table.updated + 60_000
    back = t.away(table, now, now - 45_000).table
    assert back.clock.deadline == deadline + 45_000
    # Not what lies before the clock began to run.
    assert t.away(table, now, table.updated - DAY).table.clock.deadline == deadline + 60_000
    assert t.away(table_of()[0], now, now - 5_000).events == []


def test_tables_at_which_nothing_happens_are_closed() -> None:
    for joined, open_, days in ((False, False, 30), (False, True, 7), (True, False, 60)):
        table, _ = table_of(joined=joined, open=open_)
        assert t.due(table) == START + days * DAY
        closed = t.expired(table, START + days * DAY)
        assert [event.kind for event in closed.events] == ["closed"]
        assert closed.table.status == "aborted"


# ---- plans ---------------------------------------------------------------------------------------


def test_planned_turns_are_played_at_once_and_cost_nothing() -> None:
    table, _ = played(table_of(clock=DAYS)[0], 1)
    # White plans for Black's next turn, and for the one after.
    play = table.play
    line = []
    for _ in range(4):
        line.append(play.turns()[0].text)
        play = play.play(line[-1])
    else_ = table.play.turns()[1].text
    answer = table.play.play(else_).turns()[0].text
    kept = done(table, "w", act("lines", lines=[line, [else_, answer]]))
    assert kept.events == []
    assert kept.lines == {"w": (tuple(line), (else_, answer))}
    decision = done(table, "b", act("turn", turn=line[0]), lines=kept.lines)
    assert [(x.by, x.turn, x.planned) for x in decision.events if isinstance(x, e.TurnPlayed)] == [
        ("b", line[0], False), ("w", line[1], True),
    ]  # fmt: skip
    assert decision.lines == {"w": (tuple(line[2:]),)}
    again = done(decision.table, "b", act("turn", turn=line[2]), lines=decision.lines)
    assert again.table.turns[-2:] == line[2:]
    unforeseen = decision.table.play.turns()[-1].text
    other_ = done(decision.table, "b", act("turn", turn=unforeseen), lines=decision.lines)
    assert len(other_.events) == 1
    assert other_.lines == {"w": ()}


def test_plans_are_checked() -> None:
    table, _ = played(table_of(clock=DAYS)[0], 1)
    first = table.play.turns()[0].text
    one, two = (turn.text for turn in table.play.play(first).turns()[:2])
    assert refused(table, "w", act("lines", lines=[[first, one], [first, two]])) == "lines-differ"
    assert refused(table, "w", act("lines", lines=[[first, first]]))
    assert refused(table, "b", act("lines", lines=[[first, one]])) == "lines-your-turn"
    live, _ = played(table_of(clock=LIVE)[0], 1)
    assert refused(live, "w", act("lines", lines=[[first, one]])) == "lines-live"
    assert refused(table, "w", act("lines", lines=[[first, one]]), seen=0) == "moved-on"
