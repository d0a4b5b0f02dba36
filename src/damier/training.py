"""What a solved or missed puzzle changes: the solver's rating, and when the puzzle comes back.

Nothing is kept here: whoever trains brings his rating and the puzzle's card, and takes both away.
The rating is Glicko-2's; a card is scheduled by FSRS, the same way for everyone and every time.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import fsrs

from damier.ratings import Rating

Card = dict[str, float | None]

AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4  # grades: missed, with help, solved, at once
SOON = timedelta(minutes=10)  # until a puzzle that was missed is shown again
LONGEST = 365  # days until it is shown again, however well it is known
# By chance no two visits would come back on the same day: nobody here has that many cards.
_SCHEDULER = fsrs.Scheduler(
    learning_steps=(SOON,), relearning_steps=(SOON,), maximum_interval=LONGEST, enable_fuzzing=False
)
_STATES = {float(state.value): state for state in fsrs.State}
_BEGIN = datetime.fromtimestamp(0, UTC)


def rated(rating: Rating, puzzle: Rating, score: float) -> Rating:
    """Return a solver's rating after one puzzle, solved (1) or not (0)."""
    return rating.after([(puzzle, score)])


def scheduled(card: Mapping[str, float | None] | None, grade: int, now: int) -> Card:
    """Return a puzzle's card after it was tried at a time, in milliseconds; `due` is the next.

    A card that cannot be read is begun anew.
    """
    when = _time(now)
    known = _read(card) or fsrs.Card(card_id=0, due=when)
    after, _ = _SCHEDULER.review_card(known, fsrs.Rating(grade), when)
    return {
        "state": after.state.value,
        "step": after.step,
        "stability": after.stability,
        "difficulty": after.difficulty,
        "due": _number(after.due),
        "last": now,
    }


def _read(card: Mapping[str, float | None] | None) -> fsrs.Card | None:
    """Return a card of the library, if all that it needs is there and possible."""
    try:
        found = {} if card is None else card
        state = _STATES[found["state"] or 0.0]
        stability, difficulty = (float(found[name] or 0) for name in ("stability", "difficulty"))
        due, last = (_time(int(found[name] or 0)) for name in ("due", "last"))
    except (KeyError, ValueError, TypeError, OverflowError):
        return None
    if not (fsrs.scheduler.STABILITY_MIN <= stability <= 100 * LONGEST and 1 <= difficulty <= 10):
        return None
    # There is one step of learning; who reviews is at none.
    step = None if state is fsrs.State.Review else 0
    return fsrs.Card(0, state, step, stability, difficulty, due, last)


def _time(milliseconds: int) -> datetime:
    return _BEGIN + timedelta(milliseconds=milliseconds)


def _number(time: datetime) -> int:
    return (time - _BEGIN) // timedelta(milliseconds=1)
