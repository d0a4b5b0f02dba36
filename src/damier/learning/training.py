"""Training with puzzles: updates of the solver's rating and of spaced-repetition cards.

The functions are pure: the caller stores ratings and cards. Ratings use Glicko-2, cards FSRS
without randomness.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import fsrs

from damier.learning.ratings import Rating

Card = dict[str, float | None]

AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4  # grades: missed, with help, solved, at once
SOON = timedelta(minutes=10)  # until a puzzle that was missed is shown again
MAX_INTERVAL_DAYS = 365  # until a puzzle is shown again
MAX_STABILITY = 100.0 * MAX_INTERVAL_DAYS  # has no effect on the interval any more
# No fuzzing: it spreads the due dates of large collections, but players here have few cards.
_SCHEDULER = fsrs.Scheduler(
    learning_steps=(SOON,),
    relearning_steps=(SOON,),
    maximum_interval=MAX_INTERVAL_DAYS,
    enable_fuzzing=False,
)
_STATES = {float(state.value): state for state in fsrs.State}
# A puzzle changes a rating by at most this many points: a single one says little about a solver
# whose rating is still uncertain. A rating is shown from the sixth rated puzzle on.
MAX_CHANGE = 60
PROVISIONAL_PUZZLES = 5
_BEGIN = datetime.fromtimestamp(0, UTC)


def update_rating(rating: Rating, puzzle: Rating, score: float) -> Rating:
    """Return a solver's rating after one puzzle, solved (1) or not (0)."""
    after = rating.after([(puzzle, score)])
    change = max(-MAX_CHANGE, min(MAX_CHANGE, after.points - rating.points))
    return replace(after, points=rating.points + change)


def schedule_card(card: Mapping[str, float | None] | None, grade: int, now: int) -> Card:
    """Return a puzzle's card after an attempt at time `now` in ms; `due` is the next review.

    An unreadable card is replaced by a new one.
    """
    when = _time(now)
    current = _read(card) or fsrs.Card(card_id=0, due=when)
    after, _ = _SCHEDULER.review_card(current, fsrs.Rating(grade), when)
    return {
        "state": after.state.value,
        "step": after.step,
        "stability": None if after.stability is None else min(after.stability, MAX_STABILITY),
        "difficulty": after.difficulty,
        "due": _number(after.due),
        "last": now,
    }


def _read(card: Mapping[str, float | None] | None) -> fsrs.Card | None:
    """Return a card as the library's type, or None if a field is missing or invalid."""
    try:
        fields = {} if card is None else card
        state = _STATES[fields["state"] or 0.0]
        stability, difficulty = (float(fields[name] or 0) for name in ("stability", "difficulty"))
        due, last = (_time(int(fields[name] or 0)) for name in ("due", "last"))
    except (KeyError, ValueError, TypeError, OverflowError):
        return None
    if not (fsrs.scheduler.STABILITY_MIN <= stability <= MAX_STABILITY and 1 <= difficulty <= 10):
        return None
    # There is one learning step; a card in review has none.
    step = None if state is fsrs.State.Review else 0
    return fsrs.Card(0, state, step, stability, difficulty, due, last)


def _time(milliseconds: int) -> datetime:
    return _BEGIN + timedelta(milliseconds=milliseconds)


def _number(time: datetime) -> int:
    return (time - _BEGIN) // timedelta(milliseconds=1)
