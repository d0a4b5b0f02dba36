"""Ratings: the worked example of Glickman's paper, and general properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier.learning.ratings import DRAW, LOSS, MAX_DEVIATION, WIN, Rating
from damier.learning.training import MAX_CHANGE, update_rating

# Far enough from the bounds of ratings that a result or a shift does not reach them.
RATINGS = st.builds(
    Rating,
    st.floats(1200, 2800),
    st.floats(30, MAX_DEVIATION),
    st.floats(0.03, 0.1),
)


def test_the_example_of_the_paper() -> None:
    """Mark E. Glickman, Example of the Glicko-2 system (2013), pages 4 to 6."""
    others = [Rating(1400, 30), Rating(1550, 100), Rating(1700, 300)]
    after = Rating(1500, 200).after(list(zip(others, (WIN, LOSS, LOSS), strict=True)))
    assert after.points == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


@given(RATINGS, RATINGS, st.floats(-600, 600))
def test_only_differences_count(one: Rating, other: Rating, shift: float) -> None:
    """The library's own volatility depends on where the zero is; the paper's does not."""

    def moved(rating: Rating) -> Rating:
        return Rating(rating.points + shift, rating.deviation, rating.volatility)

    after, shifted = one.after([(other, WIN)]), moved(one).after([(moved(other), WIN)])
    assert shifted.points - shift == pytest.approx(after.points, abs=1e-3)
    assert shifted.volatility == pytest.approx(after.volatility, abs=1e-9)


@given(RATINGS, RATINGS)
def test_results_change_a_rating_in_the_right_direction(one: Rating, other: Rating) -> None:
    won, drawn, lost = (one.after([(other, score)]).points for score in (WIN, DRAW, LOSS))
    assert lost < drawn < won
    assert lost < one.points < won
    assert one.expected_score(other) + other.expected_score(one) == pytest.approx(1)


def test_inactivity_increases_the_deviation() -> None:
    rested = Rating(1700, 60).after([])
    assert rested.points == pytest.approx(1700)
    assert 60 < rested.deviation < MAX_DEVIATION
    assert Rating().after([]).deviation == MAX_DEVIATION


def test_one_puzzle_changes_a_rating_by_a_limited_amount() -> None:
    """A first failed puzzle cost up to 431 points."""
    for puzzle in (Rating(700, 50), Rating(1500, 50), Rating(2900, 50)):
        for score in (0.0, 1.0):
            after = update_rating(Rating(), puzzle, score)
            assert abs(after.points - 1500) <= MAX_CHANGE
            assert after.deviation < 350
