"""Training: ratings change in the right direction, and missed puzzles are repeated."""

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from damier.learning import puzzles, training
from damier.learning.ratings import (
    MAX_DEVIATION,
    MAX_POINTS,
    MAX_VOLATILITY,
    MIN_DEVIATION,
    MIN_POINTS,
    MIN_VOLATILITY,
    Rating,
)
from damier.web.endpoints import answer
from damier.web.learning_models import TrainingRequest
from tests.support.fuzzing import examples

MINUTE = 60_000
DAY = 24 * 60 * MINUTE
NOW = 1_800_000_000_000
PUZZLE = Rating(1500, 60)
CARD_FIELDS = ["state", "step", "stability", "difficulty", "due", "last"]


ANY_NUMBER = st.floats(0, 1e13) | st.none()
REQUEST: dict[str, Any] = {"game": "chefa", "now": NOW}


@given(
    st.floats(MIN_POINTS, MAX_POINTS),
    st.floats(MIN_DEVIATION, MAX_DEVIATION),
    st.floats(MIN_VOLATILITY, MAX_VOLATILITY),
    st.floats(0, 1),
    st.none() | st.dictionaries(st.sampled_from(CARD_FIELDS), ANY_NUMBER),
    st.integers(1, 4),
    st.integers(0, (1 << 43) - 1),
)
@example(MAX_POINTS, MAX_DEVIATION, MAX_VOLATILITY, 1.0, None, 1, 0)
@example(MIN_POINTS, MAX_DEVIATION, MAX_VOLATILITY, 0.0, None, 1, 0)
@example(MIN_POINTS, MIN_DEVIATION, MIN_VOLATILITY, 5e-324, None, 1, 0)
@example(
    1500.0,
    60.0,
    0.06,
    1.0,
    dict.fromkeys(CARD_FIELDS, 2.0) | {"stability": training.MAX_STABILITY},
    4,
    NOW,
)
@examples(60)
def test_every_accepted_request_is_answered_and_its_answer_is_accepted(
    points: float,
    deviation: float,
    volatility: float,
    score: float,
    card: Any,
    grade: int,
    now: int,
) -> None:
    rating = {"points": points, "deviation": deviation, "volatility": volatility}
    body = {**REQUEST, **rating, "score": score, "card": card, "grade": grade, "now": now}
    body["id"] = puzzles.puzzles("chefa")[0].id
    status, said = answer("training", TrainingRequest(**body).model_dump(), "en", None)
    assert status == 200, said
    found = json.loads(said)
    TrainingRequest(**{**REQUEST, **found})
    assert training._read(found["card"]) is not None


@pytest.mark.parametrize("value", [1e-320, 0.0, math.nan, math.inf, 0.9 * MIN_VOLATILITY])
def test_a_volatility_out_of_bounds_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="volatility"):
        TrainingRequest(**{**REQUEST, "volatility": value})


def test_a_rating_rises_with_success_and_converges() -> None:
    new = Rating()
    up, down = training.update_rating(new, PUZZLE, 1.0), training.update_rating(new, PUZZLE, 0.0)
    assert down.points < new.points < up.points
    assert up.deviation < new.deviation
    known = Rating(1500, 80)  # of a provisional rating, the change per puzzle is limited
    gains = [training.update_rating(known, Rating(p, 60), 1.0).points for p in (1500, 1900)]
    assert gains[0] < gains[1]  # the harder the puzzle, the more it says
    rating = new
    for k in range(60):
        rating = training.update_rating(rating, Rating(1500 + 10 * (k % 7), 60), float(k % 2))
    assert rating.deviation < 90
    assert abs(rating.points - 1530) < 90


def test_missed_puzzles_return_at_growing_intervals() -> None:
    card = training.schedule_card(None, training.AGAIN, NOW)
    assert card["due"] == NOW + 10 * MINUTE
    waits = []
    for _ in range(5):
        due = card["due"]
        assert due is not None
        card = training.schedule_card(card, training.GOOD, int(due))
        assert card["due"] is not None
        waits.append((card["due"] - due) / DAY)
    assert waits[0] == 1
    assert waits == sorted(waits)
    assert waits[-1] > 7
    due = int(card["due"] or 0)
    missed = training.schedule_card(card, training.AGAIN, due)
    assert missed["due"] == due + 10 * MINUTE
    assert (missed["stability"] or 0) < (card["stability"] or 0)


def test_scheduling_is_deterministic_and_rewards_success() -> None:
    first = training.schedule_card(None, training.AGAIN, NOW)
    later = NOW + 3 * DAY
    dues = [training.schedule_card(first, grade, later)["due"] for grade in (1, 2, 3, 4)]
    assert dues == [training.schedule_card(first, grade, later)["due"] for grade in (1, 2, 3, 4)]
    assert dues == sorted(dues, key=lambda due: due or 0)
    assert len(set(dues)) > 2


@pytest.mark.parametrize(
    "card",
    [
        {},
        {"state": 1},
        {"state": 9, "stability": 1, "difficulty": 5, "due": NOW, "last": NOW},
        {"state": 2, "stability": 0, "difficulty": 5, "due": NOW, "last": NOW},
        {"state": 2, "stability": 1, "difficulty": 99, "due": NOW, "last": NOW},
        {"state": 2, "stability": 1e12, "difficulty": 5, "due": NOW, "last": NOW},
        {"state": 1.5, "stability": 1, "difficulty": 5, "due": NOW, "last": NOW},
        {"state": 2, "stability": 1, "difficulty": 5, "due": 1e300, "last": NOW},
        {"state": 2, "stability": None, "difficulty": None, "due": None, "last": None},
    ],
)
def test_an_unreadable_card_is_replaced(card: dict[str, Any]) -> None:
    for grade in (1, 2, 3, 4):
        assert training.schedule_card(card, grade, NOW) == training.schedule_card(None, grade, NOW)


def test_a_card_of_any_time_is_scheduled() -> None:
    for last in (0, NOW + 400 * DAY):
        card = {**training.schedule_card(None, training.GOOD, last), "step": 7}
        for grade in (1, 2, 3, 4):
            due = training.schedule_card(card, grade, NOW)["due"]
            assert due is not None
            assert math.isfinite(due)
            assert NOW < due <= NOW + 365 * DAY
