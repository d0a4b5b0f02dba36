"""Ratings against the example that Glickman's paper works out, and what must hold of any."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier.ratings import DRAW, LOSS, MOST_DEVIATION, WIN, Rating

RATINGS = st.builds(
    Rating,
    st.floats(0, 3000),
    st.floats(30, MOST_DEVIATION),
    st.floats(0.03, 0.1),
)


def test_the_example_of_the_paper() -> None:
    """Mark E. Glickman, Example of the Glicko-2 system (2013), pages 4 to 6."""
    others = [Rating(1400, 30), Rating(1550, 100), Rating(1700, 300)]
    after = Rating(1500, 200).after(list(zip(others, (WIN, LOSS, LOSS), strict=True)))
    assert after.points == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


@given(RATINGS, RATINGS, st.floats(-2000, 2000))
def test_only_differences_count(one: Rating, other: Rating, shift: float) -> None:
    """The library's own volatility depends on where the zero is; the paper's does not."""

    def moved(rating: Rating) -> Rating:
        return Rating(rating.points + shift, rating.deviation, rating.volatility)

    after, shifted = one.after([(other, WIN)]), moved(one).after([(moved(other), WIN)])
    assert shifted.points - shift == pytest.approx(after.points, abs=1e-3)
    assert shifted.volatility == pytest.approx(after.volatility, abs=1e-9)


@given(RATINGS, RATINGS)
def test_results_move_a_rating_the_right_way(one: Rating, other: Rating) -> None:
    won, drawn, lost = (one.after([(other, score)]).points for score in (WIN, DRAW, LOSS))
    assert lost < drawn < won
    assert lost < one.points < won
    assert one.expected(other) + other.expected(one) == pytest.approx(1)


def test_who_does_not_play_is_less_sure() -> None:
    rested = Rating(1700, 60).after([])
    assert rested.points == pytest.approx(1700)
    assert 60 < rested.deviation < MOST_DEVIATION
    assert Rating().after([]).deviation == MOST_DEVIATION
