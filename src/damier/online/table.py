"""A table: what the events of a game add up to, and what follows from a player's act.

Pure: nothing here reads, writes or looks at a clock. `fold` makes a table of events, `decide` makes
events of an act, and every rule of the game is asked of `damier.history.Game`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from damier.errors import DamierError
from damier.history import Game
from damier.online import events as e
from damier.online.clock import DAY, MINUTE, Clock
from damier.online.events import Side, What, other
from damier.position import Result, Rules, game
from damier.web.models import MOST_TURNS

Status = Literal["waiting", "playing", "over", "aborted"]
MOST_PHRASES = 40  # of a side, in a game
# How long a table is kept at which nothing happens: open to anybody, waiting for a friend, without
# a clock.
LIVE_LOBBY, LOBBY, INVITED, FORSAKEN = 15 * MINUTE, 7 * DAY, 30 * DAY, 60 * DAY
Lines = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Table:
    """A game with its players, clocks and offers, as it stands after so many events."""

    id: str
    version: int
    terms: e.Terms
    creator: str
    created: int
    updated: int
    play: Game
    clock: Clock
    w: str | None = None
    b: str | None = None
    status: Status = "waiting"
    offers: Mapping[What, Side] = field(default_factory=dict)
    asked: Mapping[tuple[What, Side], int] = field(default_factory=dict)  # at which ply, last
    winner: Side | None = None
    reason: str = ""
    rematch: str | None = None
    spent: tuple[int, ...] = ()  # on each turn that stands
    moved: int = 0  # the version at which the board changed last
    phrases: tuple[e.Said, ...] = ()
    rated: e.Rated | None = None

    def seat(self, player: str | None) -> Side | None:
        """Return where somebody sits; None for who watches."""
        if player is None:
            return None
        return "w" if player == self.w else "b" if player == self.b else None

    def player(self, side: Side) -> str | None:
        """Return who sits on a side."""
        return self.w if side == "w" else self.b

    @property
    def to_move(self) -> Side | None:
        """Whose turn it is, in a game that is on."""
        return cast(Side, self.play.position.side) if self.status == "playing" else None

    @property
    def turns(self) -> list[str]:
        """The turns on the board."""
        return [turn.text for turn in self.play.turns_played]

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self.play.rules

    @property
    def pace(self) -> Literal["live", "days", "none"]:
        """How fast it is played."""
        return self.terms.clock.kind

    @property
    def counts(self) -> bool:
        """Whether ratings depend on its end: who gave up before both had played lost nothing."""
        return self.terms.rated and self.clock.both_begun()

    @property
    def result(self) -> Result | None:
        """How the game ended."""
        if self.status != "over":
            return None
        return Result(self.winner, self.reason, self.rules.name)


@dataclass(frozen=True)
class Moment:
    """What an act comes with that is no player's choice."""

    now: int
    seen: int  # the version that the player knew
    lag: int = 0  # measured, in milliseconds
    fresh: str = ""  # an identifier for a table that may have to be made
    # By side: what to answer. Each line goes on from the position on the board.
    lines: Mapping[Side, Lines] = field(default_factory=dict)


@dataclass(frozen=True)
class Decision:
    """What follows from an act: events, the table after them, lines that are left, a rematch."""

    events: list[e.Event]
    table: Table
    lines: Mapping[Side, Lines] | None = None  # None: as they were
    rematch: tuple[e.Created, e.Joined] | None = None


# ---- from events to a table ----------------------------------------------------------------------


def begun(identifier: str, event: e.Created) -> Table:
    """Return the table that somebody has just set up."""
    terms = event.terms
    rules = game(terms.game, **terms.options)
    play = Game(rules.start() if terms.start is None else rules.position(terms.start))
    seats: dict[str, str | None] = {"w": None, "b": None}
    if terms.colour != "lot":
        seats[terms.colour] = event.creator
    return Table(
        identifier, event.version, terms, event.creator, event.at, event.at, play,
        Clock.of(terms.clock, terms.open), seats["w"], seats["b"],
    )  # fmt: skip


def fold(identifier: str, events: Iterable[e.Event]) -> Table:
    """Return the table that a list of events makes."""
    table: Table | None = None
    for event in events:
        if table is None:
            assert isinstance(event, e.Created)
            table = begun(identifier, event)
        else:
            table = after(table, event)
    assert table is not None
    return table


def after(table: Table, event: e.Event) -> Table:
    """Return a table after one more event."""
    assert event.version == table.version + 1, "a gap in the events"
    table = replace(table, version=event.version, updated=event.at)
    match event:
        case e.Joined():
            side = cast(Side, table.play.position.side)
            return replace(
                table, w=event.w, b=event.b, status="playing", clock=table.clock.go(side, event.at)
            )
        case e.TurnPlayed():
            return _after_turn(table, event)
        case e.Offered():
            assert event.by is not None
            asked = {**table.asked, (event.what, event.by): table.play.ply}
            return replace(table, offers={**table.offers, event.what: event.by}, asked=asked)
        case e.Accepted() | e.Declined():
            return replace(table, offers=_without(table.offers, event.what))
        case e.TakenBack():
            play = table.play.back(event.turns)
            clock = table.clock.go(cast(Side, play.position.side), event.at)
            return replace(
                table, play=play, clock=clock, offers={}, asked={},
                spent=table.spent[: play.ply], moved=event.version,
            )  # fmt: skip
        case e.Said():
            return replace(table, phrases=(*table.phrases, event))
        case e.Aborted() | e.Closed():
            clock = table.clock.go(None, event.at)
            return replace(table, status="aborted", clock=clock, offers={})
        case e.Flagged():
            return replace(table, clock=_stopped(table.clock, event.at))
        case e.Ended():
            return replace(
                table, status="over", clock=_stopped(table.clock, event.at), offers={},
                winner=event.winner, reason=event.reason,
            )  # fmt: skip
        case e.Rated():
            return replace(table, rated=event)
        case e.Rematch():
            return replace(table, rematch=event.game)
        case e.Paused():
            return replace(table, clock=table.clock.paused(event.milliseconds))
        case e.Resigned():
            return table
    raise AssertionError(event.kind)


def _after_turn(table: Table, event: e.TurnPlayed) -> Table:
    play = table.play.play(event.turn)
    to_move = cast(Side, play.position.side)
    clock = table.clock.played(event.spent, event.lag, to_move, event.at)
    # A turn says no to what the other has offered; what was to be taken back is another turn now.
    offers: dict[What, Side] = {
        what: by for what, by in table.offers.items() if what != "takeback" and by == event.by
    }
    return replace(
        table, play=play, clock=clock, offers=offers,
        spent=(*table.spent, event.spent), moved=event.version,
    )  # fmt: skip


def _stopped(clock: Clock, now: int) -> Clock:
    """Return a clock that nobody's time runs on any more, showing what was left."""
    side = clock.moving
    if side is None:
        return clock
    hand = replace(clock.hand(side), left=clock.left(side, now))
    stopped = replace(clock, w=hand) if side == "w" else replace(clock, b=hand)
    return stopped.go(None, now)


def _without(offers: Mapping[What, Side], what: What) -> dict[What, Side]:
    return {name: by for name, by in offers.items() if name != what}


# ---- from an act to events -----------------------------------------------------------------------


class _Writer:
    """Adds events to a table, one after the other."""

    def __init__(self, table: Table, now: int) -> None:
        self.table, self.now = table, now
        self.events: list[e.Event] = []

    def add(self, make: Callable[..., e.Event], by: Side | None = None, **more: object) -> None:
        event = make(version=self.table.version + 1, at=self.now, by=by, **more)
        self.events.append(event)
        self.table = after(self.table, event)

    def end(self, winner: Side | None, reason: str) -> None:
        self.add(e.Ended, winner=winner, reason=reason)


def decide(table: Table, act: e.Act, side: Side, moment: Moment) -> Decision:
    """Return what follows from a player's act, or raise DamierError saying why nothing does."""
    if moment.seen < table.moved and isinstance(act, e.TurnAct | e.LinesAct):
        raise DamierError("moved-on")
    writer = _Writer(table, moment.now)
    match act:
        case e.TurnAct():
            return _turn(writer, act.turn, side, moment)
        case e.OfferAct():
            if table.offers.get(act.what) == other(side):
                return _accept(writer, act.what, side, moment)
            _may_offer(table, act.what, side)
            writer.add(e.Offered, side, what=act.what)
        case e.AcceptAct():
            if table.offers.get(act.what) != other(side):
                raise DamierError("no-offer")
            return _accept(writer, act.what, side, moment)
        case e.DeclineAct():
            if act.what not in table.offers:
                raise DamierError("no-offer")
            writer.add(e.Declined, side, what=act.what)
        case e.ResignAct():
            _must_be_on(table)
            writer.add(e.Resigned, side)
            writer.end(other(side), "resigned")
        case e.AbortAct():
            if table.status not in ("waiting", "playing"):
                raise DamierError("over")
            if table.clock.both_begun():
                raise DamierError("no-abort")
            writer.add(e.Aborted, side)
        case e.PhraseAct():
            if table.status == "waiting":
                raise DamierError("not-begun")
            if sum(said.by == side for said in table.phrases) >= MOST_PHRASES:
                raise DamierError("too-many-phrases")
            writer.add(e.Said, side, phrase=act.phrase)
        case e.LinesAct():
            kept = {**moment.lines, side: _checked_lines(table, act.lines, side)}
            return Decision([], table, kept)
    return Decision(writer.events, writer.table)


def _must_be_on(table: Table) -> None:
    if table.status == "waiting":
        raise DamierError("not-begun")
    if table.status != "playing":
        raise DamierError("over")


def _turn(writer: _Writer, text: str, side: Side, moment: Moment) -> Decision:
    """Play a turn, and what the players have planned for it."""
    table = writer.table
    _must_be_on(table)
    if table.to_move != side:
        raise DamierError("not-your-turn")
    if table.clock.too_late(moment.now, moment.lag):
        return overdue(table, moment.now)
    table.play.turn(text)  # refuses what is not legal, with the reason
    spent, lag = table.clock.spent(moment.now, moment.lag)
    writer.add(e.TurnPlayed, side, turn=text, spent=spent, lag=lag)
    lines = _followed(moment.lines, text)
    _judge(writer)
    while (planned := _planned(writer.table, lines)) is not None:
        writer.add(e.TurnPlayed, writer.table.to_move, turn=planned, planned=True)
        lines = _followed(lines, planned)
        _judge(writer)
    return Decision(writer.events, writer.table, lines if moment.lines else None)


def _judge(writer: _Writer) -> None:
    """End the game if the rules do; a game that goes on for ever is drawn."""
    result = writer.table.play.result()
    if result is not None:
        writer.end(cast(Side | None, result.winner), result.reason)
    elif writer.table.play.over:  # nobody can go on, and nobody has won
        writer.end(None, "abandoned")
    elif writer.table.play.ply >= MOST_TURNS:
        writer.end(None, "length")


def _planned(table: Table, lines: Mapping[Side, Lines]) -> str | None:
    """Return the turn that the side to move has planned for this position."""
    if table.to_move is None:
        return None
    return next((line[0] for line in lines.get(table.to_move, ()) if line), None)


def _followed(lines: Mapping[Side, Lines], turn: str) -> dict[Side, Lines]:
    """Return what is left of lines after a turn."""
    return {
        side: tuple(line[1:] for line in those if line[0] == turn and len(line) > 1)
        for side, those in lines.items()
    }


def _checked_lines(table: Table, lines: Sequence[Sequence[str]], side: Side) -> Lines:
    """Return lines that can be followed: legal, with one answer of the player's to each turn."""
    _must_be_on(table)
    if table.pace == "live":
        raise DamierError("lines-live")
    if lines and table.to_move == side:
        raise DamierError("lines-your-turn")
    answers: dict[tuple[str, ...], str] = {}
    for line in lines:
        play = table.play
        for at, text in enumerate(line):
            mine = play.position.side == side
            if mine and answers.setdefault(tuple(line[:at]), text) != text:
                raise DamierError("lines-differ", turn=text)
            play = play.play(text)
    return tuple(tuple(line) for line in lines)


def _may_offer(table: Table, what: What, side: Side) -> None:
    if what == "rematch":
        if table.status != "over":
            raise DamierError("not-over")
        if table.rematch is not None:
            raise DamierError("rematch-on")
    else:
        _must_be_on(table)
    if what == "takeback":
        if table.terms.rated:
            raise DamierError("takeback-rated")
        if _turns_back(table, side) == 0:
            raise DamierError("nothing-to-undo")
    if table.offers.get(what) == side:
        raise DamierError("offered-already")
    if what != "rematch" and table.asked.get((what, side)) == table.play.ply:
        raise DamierError("offered-before")


def _turns_back(table: Table, side: Side) -> int:
    """Return how many turns lead back to before the last one of a side; 0 if it has none."""
    for ply in range(table.play.ply - 1, -1, -1):
        if table.play.at(ply).position.side == side:
            return table.play.ply - ply
    return 0


def _accept(writer: _Writer, what: What, side: Side, moment: Moment) -> Decision:
    table = writer.table
    writer.add(e.Accepted, side, what=what)
    if what == "draw":
        writer.end(None, "agreed")
    elif what == "takeback":
        writer.add(e.TakenBack, other(side), turns=_turns_back(table, other(side)))
        return Decision(writer.events, writer.table, {})
    else:
        writer.add(e.Rematch, game=moment.fresh)
        return Decision(writer.events, writer.table, rematch=_again(table, moment.now))
    return Decision(writer.events, writer.table)


def _again(table: Table, now: int) -> tuple[e.Created, e.Joined]:
    """Return the first events of a rematch: who was White is Black."""
    assert table.w is not None
    assert table.b is not None
    terms = table.terms.model_copy(update={"open": False})
    return (
        e.Created(version=1, at=now, creator=table.creator, terms=terms),
        e.Joined(version=2, at=now, w=table.b, b=table.w),
    )


def join(table: Table, player: str, now: int, lot: Side) -> Decision:
    """Return what follows from somebody's coming to a table; `lot` is the creator's by lot."""
    if table.status != "waiting":
        raise DamierError("seat-taken")
    if player == table.creator:
        raise DamierError("own-table")
    side = lot if table.terms.colour == "lot" else table.terms.colour
    w, b = (table.creator, player) if side == "w" else (player, table.creator)
    writer = _Writer(table, now)
    writer.add(e.Joined, other(side), w=w, b=b)
    return Decision(writer.events, writer.table)


def due(table: Table) -> int | None:
    """Return when time will have run out for a table, if nothing happens at it before."""
    if table.status == "waiting":
        if not table.terms.open:
            return table.updated + INVITED
        return table.updated + (LIVE_LOBBY if table.pace == "live" else LOBBY)
    if table.status == "playing":
        return table.clock.due or table.updated + FORSAKEN
    return None


def expired(table: Table, now: int) -> Decision:
    """Return what follows from time passing at a table: nothing, if it is not due."""
    when = due(table)
    if when is None or when > now:
        return Decision([], table)
    if table.status == "playing" and table.clock.deadline is not None:
        return overdue(table, now)
    return closed(table, now, "abandoned")


def overdue(table: Table, now: int) -> Decision:
    """Return what follows from the side to move having let its time pass.

    A game whose first turns were not played is called off, and counts for nothing.
    """
    writer = _Writer(table, now)
    side = table.to_move
    if side is None:
        return Decision([], table)
    if table.clock.hand(side).begun:
        writer.add(e.Flagged, side)
        writer.end(other(side), "time")
    else:
        writer.add(e.Aborted)
    return Decision(writer.events, writer.table)


def closed(table: Table, now: int, reason: Literal["abandoned", "administrator"]) -> Decision:
    """Return what follows from a table being closed."""
    writer = _Writer(table, now)
    if table.status in ("waiting", "playing"):
        writer.add(e.Closed, reason=reason)
    return Decision(writer.events, writer.table)


def away(table: Table, now: int, since: int) -> Decision:
    """Return what follows from the server's having been away since then while a clock ran."""
    writer = _Writer(table, now)
    lost = now - max(since, table.clock.since)
    if table.clock.deadline is not None and lost > 0:
        writer.add(e.Paused, milliseconds=lost)
    return Decision(writer.events, writer.table)
