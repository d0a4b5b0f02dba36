"""Training: ratings go the right way, what was missed comes back, and no card breaks it."""

import math
from typing import Any

import pytest

from damier import training
from damier.ratings import Rating

MINUTE = 60_000
DAY = 24 * 60 * MINUTE
NOW = 1_800_000_000_000
PUZZLE = Rating(1500, 60)


def test_a_rating_rises_with_what_is_solved_and_settles() -> None:
    new = Rating()
    up, down = training.rated(new, PUZZLE, 1.0), training.rated(new, PUZZLE, 0.0)
    assert down.points < new.points < up.points
    assert up.deviation < new.deviation
    harder = training.rated(new, Rating(1900, 60), 1.0)
    assert harder.points > up.points  # the harder the puzzle, the more it says
    rating = new
    for k in range(60):
        rating = training.rated(rating, Rating(1500 + 10 * (k % 7), 60), float(k % 2))
    assert rating.deviation < 90
    assert abs(rating.points - 1530) < 90


def test_what_was_missed_comes_back_soon_then_later_and_later() -> None:
    card = training.scheduled(None, training.AGAIN, NOW)
    assert card["due"] == NOW + 10 * MINUTE
    waits = []
    for _ in range(5):
        due = card["due"]
        assert due is not None
        card = training.scheduled(card, training.GOOD, int(due))
        assert card["due"] is not None
        waits.append((card["due"] - due) / DAY)
    assert waits[0] == 1
    assert waits == sorted(waits)
    assert waits[-1] > 7
    due = int(card["due"] or 0)
    missed = training.scheduled(card, training.AGAIN, due)
    assert missed["due"] == due + 10 * MINUTE
    assert (missed["stability"] or 0) < (card["stability"] or 0)


def test_the_same_answers_give_the_same_card_and_better_ones_a_longer_rest() -> None:
    first = training.scheduled(None, training.AGAIN, NOW)
    later = NOW + 3 * DAY
    dues = [training.scheduled(first, grade, later)["due"] for grade in (1, 2, 3, 4)]
    assert dues == [training.scheduled(first, grade, later)["due"] for grade in (1, 2, 3, 4)]
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
def test_a_card_that_cannot_be_read_is_begun_anew(card: dict[str, Any]) -> None:
    for grade in (1, 2, 3, 4):
        assert training.scheduled(card, grade, NOW) == training.scheduled(None, grade, NOW)


def test_a_card_of_any_time_is_scheduled() -> None:
    for last in (0, NOW + 400 * DAY):
        card = {**training.scheduled(None, training.GOOD, last), "step": 7}
        for grade in (1, 2, 3, 4):
            due = training.scheduled(card, grade, NOW)["due"]
            assert due is not None
            assert math.isfinite(due)
            assert NOW < due <= NOW + 365 * DAY
