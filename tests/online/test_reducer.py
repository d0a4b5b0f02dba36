"""The online game reducer: any order of actions gives a state that the events reproduce."""

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
from damier.online import reducer as t
from damier.online.clock import DAY, MAX_LAG_MS, MAX_PREMOVE_MS, MINUTE
from damier.online.events import GAME_EVENT, PLAYER_ACTION, Side, opponent
from damier.online.reducer import ActionContext, Decision, OnlineGame

START = 1_700_000_000_000
LIVE = e.LiveClock(minutes=3, seconds=2)
DAYS = e.CorrespondenceClock(days=2)


def table_of(
    game_id: str = "chefa", joined: bool = True, **terms: Any
) -> tuple[OnlineGame, list[e.GameEvent]]:
    """Return a table with Ada as White and Blaise as Black, and its events."""
    agreed = e.GameSetup(game=game_id, **{"colour": "w", **terms})
    events: list[e.GameEvent] = [e.GameCreated(version=1, at=START, creator="ada", terms=agreed)]
    game = t.fold("g", events)
    if joined:
        decision = t.decide_join(game, "blaise", START, "w")
        game, events = decision.game, events + decision.events
    return game, events


def act(kind: str, **more: Any) -> e.PlayerAction:
    return PLAYER_ACTION.validate_python({"kind": kind, **more})


def done(
    game: OnlineGame, side: Side, what: e.PlayerAction, after: int = 1000, **more: Any
) -> Decision:
    moment = ActionContext(game.updated + after, more.pop("seen", game.version), **more)
    return t.decide(game, what, side, moment)


def played(game: OnlineGame, count: int, after: int = 1000) -> tuple[OnlineGame, list[e.GameEvent]]:
    """Return a table after so many moves, each the first that there is."""
    events: list[e.GameEvent] = []
    for _ in range(count):
        assert game.to_move is not None
        move = game.gameplay.legal_moves()[0].text
        decision = done(game, game.to_move, act("turn", turn=move), after)
        game, events = decision.game, events + decision.events
    return game, events


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


def some_move(game: OnlineGame, number: int) -> str:
    found = [move.text for move in islice(game.gameplay.position.iter_legal_moves(), 30)]
    return found[number % len(found)] if found else "--"


def attempt(game: OnlineGame, deed: tuple[str, Any], side: Side, moment: ActionContext) -> Decision:
    kind, detail = deed
    if kind == "expire":
        return t.decide_expiry(game, moment.now)
    if kind == "outage":
        return t.decide_outage(game, moment.now, moment.now - 500, 1)
    if kind == "turn":
        return t.decide(game, act("turn", turn=some_move(game, detail)), side, moment)
    if kind == "lines":
        first = some_move(game, detail)
        then = some_move(replace(game, gameplay=game.gameplay.play(first)), detail)
        return t.decide(game, act("lines", lines=[[first, then]]), side, moment)
    if kind == "junk":
        return t.decide(game, act("turn", turn="a1-z9"), side, moment)
    more = {"phrase": {"phrase": detail}, "resign": {}, "abort": {}}.get(kind, {"what": detail})
    return t.decide(game, act(kind, **more), side, moment)


@settings(max_examples=120, deadline=None)
@given(
    steps=STEPS,
    game_id=st.sampled_from(list(GAMES)),
    clock=st.sampled_from([e.NoClock(), LIVE, DAYS]),
    rated=st.booleans(),
)
def test_any_order_of_actions_keeps_the_state_consistent(
    steps: Any, game_id: str, clock: Any, rated: bool
) -> None:
    game, events = table_of(game_id, clock=clock, rated=rated and clock.kind != "none")
    now = START
    lines: Mapping[Side, t.ConditionalLines] = {}
    for deed, side, passed, lag in steps:
        now += passed
        moment = ActionContext(now, game.version, lag, "again", lines)
        try:
            decision = attempt(game, deed, side, moment)
        except DamierError:
            continue
        check(game, decision)
        game, events = decision.game, events + decision.events
        lines = lines if decision.lines is None else decision.lines
    kept = [GAME_EVENT.validate_json(event.model_dump_json()) for event in events]
    assert kept == events
    assert t.fold("g", kept) == game
    assert [event.version for event in kept] == list(range(1, len(kept) + 1))


def check(before: OnlineGame, decision: Decision) -> None:
    """What holds after every act."""
    game, events = decision.game, decision.events
    assert game.version == before.version + len(events)
    if before.status in ("over", "aborted"):
        assert game.moves == before.moves
        assert (game.status, game.result) == (before.status, before.result)
    for side in ("w", "b"):
        left = game.clock.side_clock(side).left
        assert left is None or left >= 0
        assert 0 <= game.clock.side_clock(side).reserve <= 1000
    if game.status == "playing":
        assert game.clock.to_move == game.gameplay.position.side == game.to_move
        assert not game.gameplay.over
    else:
        assert game.clock.to_move is None
        assert t.next_deadline(game) is None
    if any(isinstance(event, e.GameEnded) for event in events):
        assert game.status == "over"
        assert not game.offers
    assert len(game.spent) == game.gameplay.ply


# ---- one thing at a time -------------------------------------------------------------------------


def refused(game: OnlineGame, side: Side, what: e.PlayerAction, **more: Any) -> str:
    with pytest.raises(DamierError) as caught:
        done(game, side, what, **more)
    assert str(caught.value)
    return caught.value.key


def test_the_lot_is_drawn_when_the_second_player_comes() -> None:
    game, _ = table_of(joined=False, colour="lot")
    assert (game.w, game.b) == (None, None)
    assert t.decide_join(game, "blaise", START, "b").game.w == "blaise"
    assert t.decide_join(game, "blaise", START, "w").game.w == "ada"
    for player, key in (("ada", "own-table"),):
        with pytest.raises(DamierError, match="yourself") as caught:
            t.decide_join(game, player, START, "w")
        assert caught.value.key == key


def test_a_seat_is_taken_once() -> None:
    game, _ = table_of()
    assert (game.seat("ada"), game.seat("blaise"), game.seat("eve")) == ("w", "b", None)
    with pytest.raises(DamierError) as caught:
        t.decide_join(game, "eve", START, "w")
    assert caught.value.key == "seat-taken"


def test_only_the_side_to_move_plays_and_only_what_is_legal() -> None:
    game, _ = table_of()
    move = game.gameplay.legal_moves()[0].text
    assert refused(game, "b", act("turn", turn=move)) == "not-your-turn"
    assert refused(game, "w", act("turn", turn="a1-z9")) in ("turn-cell", "turn-form")
    after = done(game, "w", act("turn", turn=move)).game
    assert after.moves == [move]
    # What was meant for an older position is not played in a newer one.
    assert refused(after, "b", act("turn", turn=move), seen=game.version) == "moved-on"


def test_before_the_second_player_nothing_is_played() -> None:
    game, _ = table_of(joined=False)
    assert refused(game, "w", act("turn", turn="a1")) == "not-begun"
    assert refused(game, "w", act("resign")) == "not-begun"
    assert done(game, "w", act("abort")).game.status == "aborted"


def test_draws_are_agreed() -> None:
    game, _ = table_of()
    assert refused(game, "b", act("accept", what="draw")) == "no-offer"
    offered = done(game, "w", act("offer", what="draw")).game
    assert offered.offers == {"draw": "w"}
    assert refused(offered, "w", act("offer", what="draw")) == "offered-already"
    assert refused(offered, "w", act("accept", what="draw")) == "no-offer"
    for answer in ("accept", "offer"):
        over = done(offered, "b", act(answer, what="draw")).game
        assert (over.status, over.winner, over.reason) == ("over", None, "agreed")
    declined = done(offered, "b", act("decline", what="draw")).game
    assert declined.offers == {}
    assert refused(declined, "w", act("offer", what="draw")) == "offered-before"
    moved, _ = played(declined, 2)
    assert done(moved, "w", act("offer", what="draw")).game.offers == {"draw": "w"}


def test_an_offer_is_valid_until_the_opponent_plays() -> None:
    game, _ = table_of()
    offered = done(game, "w", act("offer", what="draw")).game
    first_reply, _ = played(offered, 1)
    assert first_reply.offers == {"draw": "w"}
    second_reply, _ = played(first_reply, 1)
    assert second_reply.offers == {}


@pytest.mark.parametrize(
    ("moves", "side", "left"), [(1, "w", 0), (2, "w", 0), (3, "b", 1), (3, "w", 2)]
)
def test_a_takeback_undoes_the_requester_s_last_move(moves: int, side: Side, left: int) -> None:
    game, _ = played(table_of()[0], moves)
    offered = done(game, side, act("offer", what="takeback")).game
    back = done(offered, opponent(side), act("accept", what="takeback"))
    assert back.game.gameplay.ply == left
    assert back.game.to_move == side
    assert back.lines == {}
    assert isinstance(back.events[-1], e.MovesTakenBack)


def test_nothing_is_taken_back_in_a_rated_game_or_before_the_first_move() -> None:
    rated, _ = played(table_of(rated=True, clock=LIVE)[0], 2)
    assert refused(rated, "w", act("offer", what="takeback")) == "takeback-rated"
    assert refused(table_of()[0], "w", act("offer", what="takeback")) == "nothing-to-undo"


def test_a_rematch_has_colours_changed() -> None:
    game, _ = table_of(clock=LIVE, rated=True, open=True)
    assert refused(game, "w", act("offer", what="rematch")) == "not-over"
    over = done(game, "w", act("resign")).game
    assert (over.winner, over.reason) == ("b", "resigned")
    offered = done(over, "b", act("offer", what="rematch")).game
    decision = done(offered, "w", act("accept", what="rematch"), rematch_id="again")
    assert decision.game.rematch == "again"
    assert decision.rematch is not None
    again = t.fold("again", decision.rematch)
    assert (again.w, again.b, again.status) == ("blaise", "ada", "playing")
    assert (again.setup.clock, again.setup.rated, again.setup.open) == (LIVE, True, False)
    assert refused(decision.game, "w", act("offer", what="rematch")) == "rematch-on"


def test_a_game_is_aborted_only_before_both_have_played() -> None:
    game, _ = played(table_of()[0], 1)
    assert done(game, "b", act("abort")).game.status == "aborted"
    game, _ = played(game, 1)
    assert refused(game, "w", act("abort")) == "no-abort"


def test_the_number_of_phrases_is_limited() -> None:
    game, _ = table_of()
    for _ in range(t.MAX_PHRASES):
        game = done(game, "w", act("phrase", phrase="hello")).game
    assert refused(game, "w", act("phrase", phrase="hello")) == "too-many-phrases"
    assert done(game, "b", act("phrase", phrase="bye")).game.phrases[-1].by == "b"


# ---- time ----------------------------------------------------------------------------------------


def test_first_moves_are_free_and_then_time_runs() -> None:
    game, _ = table_of(clock=LIVE)
    assert not game.clock.is_running
    game, _ = played(game, 2, after=30_000)
    assert (game.clock.side_clock("w").left, game.clock.side_clock("b").left) == (180_000, 180_000)
    game, _ = played(game, 1, after=30_000)
    assert game.clock.side_clock("w").left == 180_000 - 30_000 + 2_000
    assert game.spent == (30_000, 30_000, 30_000)


def test_a_game_without_a_first_move_is_aborted() -> None:
    for open_, allowed in ((True, MINUTE), (False, 15 * MINUTE)):
        game, _ = table_of(clock=LIVE, open=open_)
        assert game.clock.deadline == START + allowed
        due = t.next_deadline(game)
        assert due is not None
        assert t.decide_expiry(game, due - 1).events == []
        assert t.decide_expiry(game, due).game.status == "aborted"


@pytest.mark.parametrize("clock", [LIVE, DAYS])
def test_a_player_loses_on_time(clock: Any) -> None:
    game, _ = played(table_of(clock=clock)[0], 3)
    due = t.next_deadline(game)
    assert due is not None
    assert t.decide_expiry(game, due - 1).events == []
    decision = t.decide_expiry(game, due)
    assert [event.kind for event in decision.events] == ["flagged", "ended"]
    assert (decision.game.winner, decision.game.reason) == ("w", "time")
    assert decision.game.clock.side_clock("b").left == 0
    assert t.decide_expiry(decision.game, due + DAY).events == []


def test_a_late_move_loses_on_time() -> None:
    game, _ = played(table_of(clock=LIVE)[0], 2)
    move = game.gameplay.legal_moves()[0].text
    late = done(game, "w", act("turn", turn=move), after=180_000)
    assert [event.kind for event in late.events] == ["flagged", "ended"]
    just = done(game, "w", act("turn", turn=move), after=179_999)
    assert just.game.clock.side_clock("w").left == 1 + 2_000


def test_lag_is_compensated_within_limits() -> None:
    game, _ = played(table_of(clock=LIVE)[0], 2)
    move = game.gameplay.legal_moves()[0].text
    spent = []
    for lag in (0, 100, 400, 10_000):
        decision = done(game, "w", act("turn", turn=move), after=5_000, lag=lag)
        (event,) = decision.events
        assert isinstance(event, e.MovePlayed)
        spent.append((event.spent, event.lag))
    assert spent == [(5_000, 0), (4_900, 100), (4_600, 400), (4_500, MAX_LAG_MS)]
    # Just too late, but for the way.
    assert done(game, "w", act("turn", turn=move), after=180_300, lag=400).game.status == "playing"
    # Who is always slow lives on what comes in.
    allowed = []
    for _ in range(16):
        assert game.to_move is not None
        move = game.gameplay.legal_moves()[0].text
        decision = done(game, game.to_move, act("turn", turn=move), after=5_000, lag=500)
        game = decision.game
        allowed += [event.lag for event in decision.events if isinstance(event, e.MovePlayed)][:1]
    allowed = allowed[::2]
    assert allowed[0] == MAX_LAG_MS
    assert allowed[-1] == 100
    assert sum(allowed) <= 1000 + 100 * len(allowed)


def test_an_outage_is_compensated() -> None:
    game, _ = played(table_of(clock=LIVE)[0], 2)
    deadline = game.clock.deadline
    assert deadline is not None
    now = game.updated + 60_000
    back = t.decide_outage(game, now, now - 45_000, 2000).game
    assert back.clock.deadline == deadline + 45_000
    # Not what lies before the clock began to run, nothing too short, and nothing twice.
    since = game.updated - DAY
    assert t.decide_outage(game, now, since, 1).game.clock.deadline == deadline + 60_000
    assert t.decide_outage(table_of()[0], now, now - 5_000, 1).events == []
    assert t.decide_outage(game, now, now - 1999, 2000).events == []
    assert t.decide_outage(back, now, since, 1).events == []
    later = t.decide_outage(back, now + 7_000, since, 1).game
    assert later.clock.deadline == deadline + 45_000 + 7_000


def test_inactive_games_are_closed() -> None:
    for joined, open_, days in ((False, False, 30), (False, True, 7), (True, False, 60)):
        game, _ = table_of(joined=joined, open=open_)
        assert t.next_deadline(game) == START + days * DAY
        closed = t.decide_expiry(game, START + days * DAY)
        assert [event.kind for event in closed.events] == ["closed"]
        assert closed.game.status == "aborted"


# ---- plans ---------------------------------------------------------------------------------------


def test_planned_moves_are_played_at_once_and_cost_nothing() -> None:
    game, _ = played(table_of(clock=DAYS)[0], 1)
    # White plans for Black's next move, and for the one after.
    play = game.gameplay
    line = []
    for _ in range(4):
        line.append(play.legal_moves()[0].text)
        play = play.play(line[-1])
    else_ = game.gameplay.legal_moves()[1].text
    answer = game.gameplay.play(else_).legal_moves()[0].text
    kept = done(game, "w", act("lines", lines=[line, [else_, answer]]))
    assert kept.events == []
    assert kept.lines == {"w": (tuple(line), (else_, answer))}
    decision = done(game, "b", act("turn", turn=line[0]), lines=kept.lines)
    assert [(x.by, x.turn, x.planned) for x in decision.events if isinstance(x, e.MovePlayed)] == [
        ("b", line[0], False),
        ("w", line[1], True),
    ]
    assert decision.lines == {"w": (tuple(line[2:]),)}
    again = done(decision.game, "b", act("turn", turn=line[2]), lines=decision.lines)
    assert again.game.moves[-2:] == line[2:]
    unforeseen = decision.game.gameplay.legal_moves()[-1].text
    other_ = done(decision.game, "b", act("turn", turn=unforeseen), lines=decision.lines)
    assert len(other_.events) == 1
    assert other_.lines == {"w": ()}


def test_plans_are_checked() -> None:
    game, _ = played(table_of(clock=DAYS)[0], 1)
    first = game.gameplay.legal_moves()[0].text
    one, two = (move.text for move in game.gameplay.play(first).legal_moves()[:2])
    assert refused(game, "w", act("lines", lines=[[first, one], [first, two]])) == "lines-differ"
    assert refused(game, "w", act("lines", lines=[[first, first]]))
    assert refused(game, "b", act("lines", lines=[[first, one]])) == "lines-your-turn"
    live, _ = played(table_of(clock=LIVE)[0], 1)
    assert refused(live, "w", act("lines", lines=[[first, one]])) == "lines-live"
    assert refused(game, "w", act("lines", lines=[[first, one]]), seen=0) == "moved-on"


def test_premoves_cost_nothing_if_they_come_at_once() -> None:
    for delay, spent in ((MAX_PREMOVE_MS, 0), (MAX_PREMOVE_MS + 1, MAX_PREMOVE_MS + 1)):
        game, _ = played(table_of(clock=LIVE)[0], 2)
        move = act("turn", turn=some_move(game, 0), premove=True)
        moment = ActionContext(game.updated + delay, game.version)
        assert game.to_move is not None
        after = t.decide(game, move, game.to_move, moment).game
        assert after.spent[-1] == spent
