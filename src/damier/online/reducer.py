"""Pure reducer of online games: computes a game from events, and events from actions.

`fold` and `apply` compute a game from its events; `decide` returns the events of an action.
The functions perform no input or output and do not read the current time. The rules of the games
are in `damier.gameplay.Game`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Literal, cast

from damier.errors import DamierError
from damier.gameplay import Game
from damier.online import events as e
from damier.online.clock import DAY, MAX_PREMOVE_MS, MINUTE, Clock
from damier.online.events import OfferKind, Side, opponent
from damier.position import Result, Rules, load_rules
from damier.web.models import MAX_MOVES

Status = Literal["waiting", "playing", "over", "aborted"]
MAX_PHRASES = 40  # per side and game
# Offers per side and game. With the limits of moves and phrases they bound the events of a game.
MAX_OFFERS: Mapping[OfferKind, int] = {"draw": 200, "takeback": 200, "rematch": 3}
# Time after which a game without events is closed.
LIVE_LOBBY_TIMEOUT_MS = 15 * MINUTE  # in the lobby, with a live clock
LOBBY_TIMEOUT_MS = 7 * DAY  # in the lobby, with another clock
INVITATION_TIMEOUT_MS = 30 * DAY  # waiting for an invited friend
INACTIVITY_TIMEOUT_MS = 60 * DAY  # in progress, without a clock
ConditionalLines = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class OnlineGame:
    """The state of an online game after its events: players, moves, clocks and offers."""

    id: str
    version: int
    setup: e.GameSetup
    creator: str
    created: int
    updated: int
    gameplay: Game
    clock: Clock
    w: str | None = None
    b: str | None = None
    status: Status = "waiting"
    offers: Mapping[OfferKind, Side] = field(default_factory=dict)
    last_offer_ply: Mapping[tuple[OfferKind, Side], int] = field(default_factory=dict)
    offer_counts: Mapping[tuple[OfferKind, Side], int] = field(default_factory=dict)
    winner: Side | None = None
    reason: str = ""
    rematch: str | None = None
    spent: tuple[int, ...] = ()  # cost of each move in milliseconds
    board_version: int = 0  # the version of the last change of the board
    phrases: tuple[e.PhraseSent, ...] = ()
    rating_changes: e.RatingsChanged | None = None
    hint_plies: Mapping[Side, tuple[int, ...]] = field(default_factory=dict)
    compensated_until: int = 0  # outages before this time have been given back

    def seat(self, player: str | None) -> Side | None:
        """Return the side of a player; None for a watcher."""
        if player is None:
            return None
        return "w" if player == self.w else "b" if player == self.b else None

    def player(self, side: Side) -> str | None:
        """Return the player of a side."""
        return self.w if side == "w" else self.b

    @property
    def to_move(self) -> Side | None:
        """The side to move; None unless the game is in progress."""
        return cast(Side, self.gameplay.position.side) if self.status == "playing" else None

    @property
    def moves(self) -> list[str]:
        """The moves played, as text."""
        return [move.text for move in self.gameplay.moves_played]

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self.gameplay.rules

    @property
    def pace(self) -> Literal["live", "days", "none"]:
        """The kind of clock."""
        return self.setup.clock.kind

    @property
    def affects_ratings(self) -> bool:
        """Whether the result changes ratings: only after both players have moved."""
        return self.setup.rated and self.clock.both_have_moved()

    @property
    def result(self) -> Result | None:
        """The result; None if the game is not over."""
        if self.status != "over":
            return None
        return Result(self.winner, self.reason, self.rules.name)


@dataclass(frozen=True)
class ActionContext:
    """The circumstances of an action that the player does not choose."""

    now: int
    seen: int  # the version that the player had seen
    lag: int = 0  # measured, in milliseconds
    rematch_id: str = ""  # id for a rematch that the action may create
    # Conditional moves by side, from the current position.
    lines: Mapping[Side, ConditionalLines] = field(default_factory=dict)


@dataclass(frozen=True)
class Decision:
    """The outcome of an action: events, the game after them, remaining lines and a rematch."""

    events: list[e.GameEvent]
    game: OnlineGame
    states: list[OnlineGame] = field(default_factory=list)  # the game after each event
    lines: Mapping[Side, ConditionalLines] | None = None  # None: unchanged
    rematch: tuple[e.GameCreated, e.PlayerJoined] | None = None


# ---- from events to a game -----------------------------------------------------------------------


def create_game(identifier: str, event: e.GameCreated) -> OnlineGame:
    """Return a game after its first event."""
    terms = event.terms
    rules = load_rules(terms.game, **terms.options)
    gameplay = Game(rules.start() if terms.start is None else rules.position(terms.start))
    seats: dict[str, str | None] = {"w": None, "b": None}
    if terms.colour != "lot":
        seats[terms.colour] = event.creator
    return OnlineGame(
        identifier,
        event.version,
        terms,
        event.creator,
        event.at,
        event.at,
        gameplay,
        Clock.initial(terms.clock, terms.open),
        seats["w"],
        seats["b"],
    )


def fold(identifier: str, events: Iterable[e.GameEvent]) -> OnlineGame:
    """Return the game after a complete list of events."""
    game: OnlineGame | None = None
    for event in events:
        if game is None:
            assert isinstance(event, e.GameCreated)
            game = create_game(identifier, event)
        else:
            game = apply(game, event)
    assert game is not None
    return game


def apply_each(game: OnlineGame, events: Iterable[e.GameEvent]) -> list[OnlineGame]:
    """Return the game after each of some events."""
    return list(accumulate(events, apply, initial=game))[1:]


def apply(game: OnlineGame, event: e.GameEvent) -> OnlineGame:
    """Return a game after one more event."""
    assert event.version == game.version + 1, "a gap in the events"
    game = replace(game, version=event.version, updated=event.at)
    match event:
        case e.PlayerJoined():
            side = cast(Side, game.gameplay.position.side)
            return replace(
                game, w=event.w, b=event.b, status="playing", clock=game.clock.start(side, event.at)
            )
        case e.MovePlayed():
            return _after_move(game, event)
        case e.OfferMade():
            assert event.by is not None
            offer = event.what, event.by
            return replace(
                game,
                offers={**game.offers, event.what: event.by},
                last_offer_ply={**game.last_offer_ply, offer: game.gameplay.ply},
                offer_counts={**game.offer_counts, offer: game.offer_counts.get(offer, 0) + 1},
            )
        case e.OfferAccepted() | e.OfferDeclined():
            return replace(game, offers=_without(game.offers, event.what))
        case e.MovesTakenBack():
            gameplay = game.gameplay.back(event.turns)
            clock = game.clock.start(cast(Side, gameplay.position.side), event.at)
            return replace(
                game,
                gameplay=gameplay,
                clock=clock,
                offers={},
                last_offer_ply={},
                spent=game.spent[: gameplay.ply],
                board_version=event.version,
            )
        case e.PhraseSent():
            return replace(game, phrases=(*game.phrases, event))
        case e.GameAborted() | e.GameClosed():
            clock = game.clock.start(None, event.at)
            return replace(game, status="aborted", clock=clock, offers={})
        case e.TimeExpired():
            return replace(game, clock=game.clock.stop(event.at))
        case e.GameEnded():
            over = replace(game, status="over", winner=event.winner, reason=event.reason)
            return replace(over, clock=game.clock.stop(event.at), offers={})
        case e.RatingsChanged():
            return replace(game, rating_changes=event)
        case e.RematchCreated():
            return replace(game, rematch=event.game)
        case e.ClockCompensated():
            clock = game.clock.extend(event.milliseconds)
            return replace(game, clock=clock, compensated_until=event.at)
        case e.PlayerResigned():
            return game
        case e.HintTaken():
            assert event.by is not None
            plies = (*game.hint_plies.get(event.by, ()), game.gameplay.ply)
            return replace(game, hint_plies={**game.hint_plies, event.by: plies})
        case e.PlayerRemoved():
            return _without_player(game, event.by)
    raise AssertionError(event.kind)


def _after_move(game: OnlineGame, event: e.MovePlayed) -> OnlineGame:
    gameplay = game.gameplay.play(event.turn)
    to_move = cast(Side, gameplay.position.side)
    clock = game.clock.after_move(event.spent, event.lag, to_move, event.at)
    # A move declines the opponent's offers and voids any takeback offer.
    offers: dict[OfferKind, Side] = {
        what: by for what, by in game.offers.items() if what != "takeback" and by == event.by
    }
    return replace(
        game,
        gameplay=gameplay,
        clock=clock,
        offers=offers,
        spent=(*game.spent, event.spent),
        board_version=event.version,
    )


def _without_player(game: OnlineGame, side: Side | None) -> OnlineGame:
    """Return a game without the identity of a side, or of its creator."""
    removed = game.creator if side is None else game.player(side)

    def without_removed(player: str | None) -> str | None:
        return e.DELETED_PLAYER if player == removed else player

    return replace(
        game,
        w=without_removed(game.w),
        b=without_removed(game.b),
        creator=without_removed(game.creator) or "",
    )


def _without(offers: Mapping[OfferKind, Side], what: OfferKind) -> dict[OfferKind, Side]:
    return {name: by for name, by in offers.items() if name != what}


# ---- from an action to events --------------------------------------------------------------------


class _EventRecorder:
    """Recorder that creates events and applies each to the game."""

    def __init__(self, game: OnlineGame, now: int) -> None:
        self.game, self.now = game, now
        self.events: list[e.GameEvent] = []
        self.states: list[OnlineGame] = []

    def add(
        self, event_class: Callable[..., e.GameEvent], by: Side | None = None, **fields: object
    ) -> None:
        event = event_class(version=self.game.version + 1, at=self.now, by=by, **fields)
        self.game = apply(self.game, event)
        self.events.append(event)
        self.states.append(self.game)

    def end(self, winner: Side | None, reason: str) -> None:
        self.add(e.GameEnded, winner=winner, reason=reason)

    def decision(
        self,
        lines: Mapping[Side, ConditionalLines] | None = None,
        rematch: tuple[e.GameCreated, e.PlayerJoined] | None = None,
    ) -> Decision:
        return Decision(self.events, self.game, self.states, lines, rematch)


def decide(
    game: OnlineGame, action: e.PlayerAction, side: Side, context: ActionContext
) -> Decision:
    """Return the outcome of a player's action, or raise DamierError if it is not allowed."""
    if context.seen < game.board_version and isinstance(
        action, e.MoveAction | e.ConditionalLinesAction
    ):
        raise DamierError("moved-on")
    recorder = _EventRecorder(game, context.now)
    match action:
        case e.MoveAction():
            return _decide_move(recorder, action, side, context)
        case e.OfferAction():
            if game.offers.get(action.what) == opponent(side):
                return _decide_acceptance(recorder, action.what, side, context)
            _check_offer(game, action.what, side)
            recorder.add(e.OfferMade, side, what=action.what)
        case e.AcceptAction():
            if game.offers.get(action.what) != opponent(side):
                raise DamierError("no-offer")
            return _decide_acceptance(recorder, action.what, side, context)
        case e.DeclineAction():
            if action.what not in game.offers:
                raise DamierError("no-offer")
            recorder.add(e.OfferDeclined, side, what=action.what)
        case e.ResignAction():
            _require_playing(game)
            recorder.add(e.PlayerResigned, side)
            recorder.end(opponent(side), "resigned")
        case e.AbortAction():
            if game.status not in ("waiting", "playing"):
                raise DamierError("over")
            if game.clock.both_have_moved():
                raise DamierError("no-abort")
            recorder.add(e.GameAborted, side)
        case e.PhraseAction():
            if game.status == "waiting":
                raise DamierError("not-begun")
            if sum(phrase.by == side for phrase in game.phrases) >= MAX_PHRASES:
                raise DamierError("too-many-phrases")
            recorder.add(e.PhraseSent, side, phrase=action.phrase)
        case e.ConditionalLinesAction():
            lines = {**context.lines, side: _validate_lines(game, action.lines, side)}
            return Decision([], game, lines=lines)
    return recorder.decision()


def _require_playing(game: OnlineGame) -> None:
    if game.status == "waiting":
        raise DamierError("not-begun")
    if game.status != "playing":
        raise DamierError("over")


def _decide_move(
    recorder: _EventRecorder, action: e.MoveAction, side: Side, context: ActionContext
) -> Decision:
    """Play a move and the conditional moves that answer it."""
    game = recorder.game
    _require_playing(game)
    if game.to_move != side:
        raise DamierError("not-your-turn")
    spent, lag = game.clock.move_cost(context.now, context.lag)
    if action.premove and spent <= MAX_PREMOVE_MS:
        spent = lag = 0
    elif game.clock.is_overdue(context.now, context.lag):
        return decide_timeout(game, context.now)
    recorder.add(e.MovePlayed, side, turn=action.turn, spent=spent, lag=lag)
    lines = _remaining_lines(context.lines, action.turn)
    _end_if_over(recorder)
    while (reply := _conditional_reply(recorder.game, lines)) is not None:
        recorder.add(e.MovePlayed, recorder.game.to_move, turn=reply, planned=True)
        lines = _remaining_lines(lines, reply)
        _end_if_over(recorder)
    return recorder.decision(lines if context.lines else None)


def _end_if_over(recorder: _EventRecorder) -> None:
    """End the game if the rules say so; a game of `MAX_MOVES` moves is drawn."""
    result = recorder.game.gameplay.result()
    if result is not None:
        recorder.end(cast(Side | None, result.winner), result.reason)
    elif recorder.game.gameplay.over:  # no legal move, but no result either
        recorder.end(None, "abandoned")
    elif recorder.game.gameplay.ply >= MAX_MOVES:
        recorder.end(None, "length")


def _conditional_reply(game: OnlineGame, lines: Mapping[Side, ConditionalLines]) -> str | None:
    """Return the conditional move of the side to move in this position, or None."""
    if game.to_move is None:
        return None
    return next((line[0] for line in lines.get(game.to_move, ()) if line), None)


def _remaining_lines(
    lines: Mapping[Side, ConditionalLines], move: str
) -> dict[Side, ConditionalLines]:
    """Return the lines that start with a move, without that move."""
    return {
        side: tuple(line[1:] for line in side_lines if line[0] == move and len(line) > 1)
        for side, side_lines in lines.items()
    }


def _validate_lines(
    game: OnlineGame, lines: Sequence[Sequence[str]], side: Side
) -> ConditionalLines:
    """Return valid lines, or raise DamierError if one is illegal or two replies conflict."""
    _require_playing(game)
    if game.pace == "live":
        raise DamierError("lines-live")
    if lines and game.to_move == side:
        raise DamierError("lines-your-turn")
    replies: dict[tuple[str, ...], str] = {}
    for line in lines:
        gameplay = game.gameplay
        for index, text in enumerate(line):
            is_own = gameplay.position.side == side
            if is_own and replies.setdefault(tuple(line[:index]), text) != text:
                raise DamierError("lines-differ", turn=text)
            gameplay = gameplay.play(text)
    return tuple(tuple(line) for line in lines)


def _check_offer(game: OnlineGame, what: OfferKind, side: Side) -> None:
    if what == "rematch":
        if game.status != "over":
            raise DamierError("not-over")
        if game.rematch is not None:
            raise DamierError("rematch-on")
    else:
        _require_playing(game)
    if what == "takeback":
        if game.setup.rated:
            raise DamierError("takeback-rated")
        if _moves_to_take_back(game, side) == 0:
            raise DamierError("nothing-to-undo")
    if game.offers.get(what) == side:
        raise DamierError("offered-already")
    if what != "rematch" and game.last_offer_ply.get((what, side)) == game.gameplay.ply:
        raise DamierError("offered-before")
    if game.offer_counts.get((what, side), 0) >= MAX_OFFERS[what]:
        raise DamierError("too-many-offers", most=MAX_OFFERS[what])


def _moves_to_take_back(game: OnlineGame, side: Side) -> int:
    """Return how many moves must be undone to undo the last move of a side; 0 if it has none."""
    for ply in range(game.gameplay.ply - 1, -1, -1):
        if game.gameplay.at(ply).position.side == side:
            return game.gameplay.ply - ply
    return 0


def _decide_acceptance(
    recorder: _EventRecorder, what: OfferKind, side: Side, context: ActionContext
) -> Decision:
    game = recorder.game
    recorder.add(e.OfferAccepted, side, what=what)
    if what == "draw":
        recorder.end(None, "agreed")
    elif what == "takeback":
        recorder.add(
            e.MovesTakenBack, opponent(side), turns=_moves_to_take_back(game, opponent(side))
        )
        return recorder.decision({})
    else:
        recorder.add(e.RematchCreated, game=context.rematch_id)
        return recorder.decision(rematch=_rematch_events(game, context.now))
    return recorder.decision()


def _rematch_events(game: OnlineGame, now: int) -> tuple[e.GameCreated, e.PlayerJoined]:
    """Return the first events of a rematch with colours reversed."""
    assert game.w is not None
    assert game.b is not None
    terms = game.setup.model_copy(update={"open": False})
    return (
        e.GameCreated(version=1, at=now, creator=game.creator, terms=terms),
        e.PlayerJoined(version=2, at=now, w=game.b, b=game.w),
    )


def decide_join(game: OnlineGame, player: str, now: int, random_side: Side) -> Decision:
    """Return the outcome of a player joining a game, or raise DamierError.

    `random_side` is the side of the creator if the setup leaves it to chance.
    """
    if game.status != "waiting":
        raise DamierError("seat-taken")
    if player == game.creator:
        raise DamierError("own-table")
    side = random_side if game.setup.colour == "lot" else game.setup.colour
    w, b = (game.creator, player) if side == "w" else (player, game.creator)
    recorder = _EventRecorder(game, now)
    recorder.add(e.PlayerJoined, opponent(side), w=w, b=b)
    return recorder.decision()


def next_deadline(game: OnlineGame) -> int | None:
    """Return when a game expires if nothing happens before; None if never."""
    if game.status == "waiting":
        if not game.setup.open:
            return game.updated + INVITATION_TIMEOUT_MS
        return game.updated + (LIVE_LOBBY_TIMEOUT_MS if game.pace == "live" else LOBBY_TIMEOUT_MS)
    if game.status == "playing":
        return game.clock.latest_deadline or game.updated + INACTIVITY_TIMEOUT_MS
    return None


def decide_expiry(game: OnlineGame, now: int) -> Decision:
    """Return the decision about a game's deadline: no events if it has not passed."""
    deadline = next_deadline(game)
    if deadline is None or deadline > now:
        return Decision([], game)
    if game.status == "playing" and game.clock.deadline is not None:
        return decide_timeout(game, now)
    return decide_closure(game, now, "abandoned")


def decide_timeout(game: OnlineGame, now: int) -> Decision:
    """Return the outcome of the side to move running out of time.

    A game in which that side has not moved yet is aborted.
    """
    recorder = _EventRecorder(game, now)
    side = game.to_move
    if side is None:
        return Decision([], game)
    if game.clock.side_clock(side).has_moved:
        recorder.add(e.TimeExpired, side)
        recorder.end(opponent(side), "time")
    else:
        recorder.add(e.GameAborted)
    return recorder.decision()


def decide_closure(
    game: OnlineGame, now: int, reason: Literal["abandoned", "administrator"]
) -> Decision:
    """Return the outcome of closing a game."""
    recorder = _EventRecorder(game, now)
    if game.status in ("waiting", "playing"):
        recorder.add(e.GameClosed, reason=reason)
    return recorder.decision()


def decide_hint(game: OnlineGame, side: Side, now: int) -> Decision:
    """Return the outcome of a player's asking for help: the opponent is informed, once per move."""
    recorder = _EventRecorder(game, now)
    if game.status == "playing" and game.gameplay.ply not in game.hint_plies.get(side, ()):
        recorder.add(e.HintTaken, side)
    return recorder.decision()


def decide_departure(game: OnlineGame, player: str, now: int) -> Decision:
    """Return the outcome of a player leaving for good: resigning, or closing a game that waits."""
    recorder = _EventRecorder(game, now)
    side = game.seat(player)
    if game.status == "waiting" and game.creator == player:
        recorder.add(e.GameClosed, reason="abandoned")
    elif game.status == "playing" and side is not None:
        recorder.add(e.PlayerResigned, side)
        recorder.end(opponent(side), "resigned")
    return recorder.decision()


def decide_removal(game: OnlineGame, player: str, now: int) -> Decision:
    """Return the outcome of deleting an identity: it is removed from the game."""
    recorder = _EventRecorder(game, now)
    if player in (game.w, game.b, game.creator):
        recorder.add(e.PlayerRemoved, game.seat(player))
    return recorder.decision()


def decide_outage(game: OnlineGame, now: int, since: int, minimum: int) -> Decision:
    """Return the outcome of an outage of the server: running clocks are compensated.

    Nothing happens for less than `minimum` milliseconds. Time that was given back before is not
    given back again, so that several processes may decide about the same outage.
    """
    recorder = _EventRecorder(game, now)
    lost_ms = _lost_since(game, now, since)
    if game.clock.deadline is not None and lost_ms >= minimum:
        recorder.add(e.ClockCompensated, milliseconds=lost_ms)
    return recorder.decision()


def decide_refused_move(game: OnlineGame, now: int, since: int) -> Decision:
    """Return the outcome of a move having been refused by the server: it is not too late now."""
    recorder, deadline = _EventRecorder(game, now), game.clock.deadline
    if deadline is not None:
        lost_ms = max(_lost_since(game, now, since), now + 1 - deadline)
        if lost_ms > 0:
            recorder.add(e.ClockCompensated, milliseconds=lost_ms)
    return recorder.decision()


def _lost_since(game: OnlineGame, now: int, since: int) -> int:
    """Return the time since an outage began that was not given back to the side to move."""
    return now - max(since, game.clock.move_started, game.compensated_until)


def decide_clock_set_back(game: OnlineGame, now: int, milliseconds: int) -> Decision:
    """Return the outcome of the system clock being set back: a running clock continues.

    Without it, the clock would stand still until the time at which its move began. Several
    processes may decide about the same change.
    """
    recorder = _EventRecorder(game, now)
    began = max(game.clock.move_started, game.compensated_until)
    if game.clock.deadline is not None and began > now:
        recorder.add(e.ClockCompensated, milliseconds=-max(milliseconds, began - now))
    return recorder.decision()
