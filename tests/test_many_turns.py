"""Positions with very many turns: searches end, and list no more than they have time for."""

from collections.abc import Iterator

import pytest

import damier
from damier import jit
from damier.games import Words
from damier.players import MOST_LISTED, player
from damier.search import Engine, Limits, Stop, analysis
from damier.search.analysis import FOLLOWED, analyse
from damier.search.protocol import Server
from damier.search.root import LISTED, MOST_ANALYSED, MOST_ROOTS
from damier.solve import Value
from damier.solve.tables.lines import line_of

OPTIONS = {"board": "7x9", "turning": "no"}
ROWS = "wwbbb.bbb/b...b..bb/bb...b..b/w.bb.bb.w/bw.b...bb/bb..b..b./w.bwbbb.b w 0"  # 482,932 turns
MANY = "...../.w.b./.b.w./.bw.b/...w. b"  # 17,654 turns


pytestmark = pytest.mark.skipif(not jit.enabled(), reason="too many for plain Python")


def explosive() -> damier.Game:
    rules = damier.game("fanorona", **OPTIONS)
    rules.compile()
    return damier.Game(rules.position(ROWS))


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list of one number: how many turns have been listed."""
    count = [0]
    ends, turns = damier.Position.ends, damier.position._turns

    def counted(self: damier.Position) -> Iterator[tuple[tuple[int, ...], Words]]:
        for end in ends(self):
            count[0] += 1
            yield end

    def counted_turns(position: damier.Position) -> Iterator[damier.Turn]:
        for turn in turns(position):
            count[0] += 1
            yield turn

    monkeypatch.setattr(damier.Position, "ends", counted)
    monkeypatch.setattr(damier.position, "_turns", counted_turns)
    return count


def test_a_search_without_time_takes_the_first_turns(listed: list[int]) -> None:
    game, stop = explosive(), Stop()
    stop.set()
    engine = Engine(game.rules, room=1000, compiled=False)
    for limits, told in ((Limits(seconds=1e-6), None), (Limits(), stop)):
        listed[0] = 0
        result = engine.think(game, limits, stop=told)
        assert listed[0] <= LISTED
        assert 0 < len(result.turns) <= LISTED
        assert game.turn(result.best.text(game)).words == result.best.after


def test_a_search_of_so_many_nodes_lists_all_or_refuses(listed: list[int]) -> None:
    game = explosive()
    engine = Engine(game.rules, room=1000, compiled=False)
    for limits in (Limits(nodes=100), Limits(depth=1)):
        listed[0] = 0
        with pytest.raises(damier.DamierError, match=str(MOST_ROOTS)):
            engine.think(game, limits)
        assert MOST_ROOTS < listed[0] < 2 * MOST_ROOTS
    with pytest.raises(damier.DamierError, match=str(MOST_ROOTS)):
        player("uct:nodes=10").choose(game)


def test_an_analysis_refuses(listed: list[int]) -> None:
    with pytest.raises(damier.DamierError, match=str(MOST_ANALYSED)):
        analyse(explosive(), seconds=0.01)
    assert listed[0] == MOST_ANALYSED + 1


def test_the_protocol_answers() -> None:
    options = " ".join(f"{name}={value}" for name, value in OPTIONS.items())
    said: list[str] = []
    server = Server(said.append)
    for line in (f"position fanorona options {options} {ROWS}", "go movetime 1"):
        server.answer(line)
    server.serve(())
    assert said[-1].startswith("bestturn ")
    assert explosive().turn(said[-1].split()[1])


def test_of_many_turns_the_best_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    followed = []

    def counted(game: damier.Game, turn: damier.Turn, value: Value, most: int) -> list[damier.Turn]:
        followed.append(turn)
        return line_of(game, turn, value, most)

    monkeypatch.setattr(analysis, "line_of", counted)
    game = damier.Game(damier.game("fraha").position(MANY))
    found = analyse(game, nodes=200)
    assert len(found.turns) == len(game.turns()) == 17_654
    assert 0 < len(followed) <= FOLLOWED
    assert [v.turn for v in found.turns if len(v.line) > 1] == [
        v.turn for v in found.turns[:FOLLOWED] if len(v.line) > 1
    ]


def test_turns_of_a_game_have_a_bound(listed: list[int]) -> None:
    game = explosive()
    with pytest.raises(damier.DamierError, match="50"):
        game.turns(50)
    assert listed[0] == 51
    small = damier.Game(damier.game("chefa"))
    assert small.turns(24) == small.turns()
    with pytest.raises(damier.DamierError, match="23"):
        small.turns(23)


def test_a_random_player_lists_few_of_many(listed: list[int]) -> None:
    game = explosive()
    legal = {step.number for step in game.position.steps()}
    chosen = [player("random", seed).choose(game) for seed in range(6)]
    assert listed[0] <= 6 * (MOST_LISTED + 2)
    assert len({turn.text for turn in chosen}) > 1
    assert all(turn.steps[0] in legal for turn in chosen)
    assert all(game.play(turn.text).ply == 1 for turn in chosen)
