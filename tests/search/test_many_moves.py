"""Positions with very many moves: searches end, and list only as many as time allows."""

from collections.abc import Iterator

import pytest

import damier
from damier import jit
from damier.games import Words
from damier.players import MAX_LISTED, player
from damier.search import Engine, Limits, Stop, analysis
from damier.search.analysis import MAX_SEARCHED_LINES, analyse
from damier.search.protocol import EngineServer
from damier.search.root import GENERATION_CHUNK, MAX_ANALYSED, MAX_ROOTS
from damier.solve import Value
from damier.solve.tables.lines import line_of

OPTIONS = {"board": "7x9", "turning": "no"}
ROWS = "wwbbb.bbb/b...b..bb/bb...b..b/w.bb.bb.w/bw.b...bb/bb..b..b./w.bwbbb.b w 0"  # 482,932 moves
MANY = "...../.w.b./.b.w./.bw.b/...w. b"  # 17,654 moves


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit.enabled(), reason="too many for plain Python"),
]


def explosive() -> damier.Game:
    rules = damier.load_rules("fanorona", **OPTIONS)
    rules.compile()
    return damier.Game(rules.position(ROWS))


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list of one number: how many moves have been listed."""
    count = [0]
    ends, moves = damier.Position.ends, damier.position._moves

    def counted(self: damier.Position) -> Iterator[tuple[tuple[int, ...], Words]]:
        for end in ends(self):
            count[0] += 1
            yield end

    def counted_moves(position: damier.Position) -> Iterator[damier.Move]:
        for move in moves(position):
            count[0] += 1
            yield move

    monkeypatch.setattr(damier.Position, "ends", counted)
    monkeypatch.setattr(damier.position, "_moves", counted_moves)
    return count


def test_a_search_without_time_takes_the_first_moves(listed: list[int]) -> None:
    game, stop = explosive(), Stop()
    stop.set()
    engine = Engine(game.rules, expected_nodes=1000, compiled=False)
    for limits, event in ((Limits(seconds=1e-6), None), (Limits(), stop)):
        listed[0] = 0
        result = engine.think(game, limits, stop=event)
        assert listed[0] <= GENERATION_CHUNK
        assert 0 < len(result.moves) <= GENERATION_CHUNK
        assert game.parse_move(result.best.text(game)).words == result.best.after


def test_a_search_of_so_many_nodes_lists_all_or_refuses(listed: list[int]) -> None:
    game = explosive()
    engine = Engine(game.rules, expected_nodes=1000, compiled=False)
    for limits in (Limits(nodes=100), Limits(depth=1)):
        listed[0] = 0
        with pytest.raises(damier.DamierError, match=str(MAX_ROOTS)):
            engine.think(game, limits)
        assert MAX_ROOTS < listed[0] < 2 * MAX_ROOTS
    with pytest.raises(damier.DamierError, match=str(MAX_ROOTS)):
        player("uct:nodes=10").choose(game)


def test_an_analysis_refuses(listed: list[int]) -> None:
    with pytest.raises(damier.DamierError, match=str(MAX_ANALYSED)):
        analyse(explosive(), seconds=0.01)
    assert listed[0] == MAX_ANALYSED + 1


def test_the_protocol_answers() -> None:
    options = " ".join(f"{name}={value}" for name, value in OPTIONS.items())
    said: list[str] = []
    server = EngineServer(said.append)
    for line in (f"position fanorona options {options} {ROWS}", "go movetime 1"):
        server.answer(line)
    server.serve(())
    assert said[-1].startswith("bestturn ")
    assert explosive().parse_move(said[-1].split()[1])


def test_the_best_of_many_moves_get_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    followed = []

    def counted(
        game: damier.Game, move: damier.Move, value: Value, max_moves: int
    ) -> list[damier.Move]:
        followed.append(move)
        return line_of(game, move, value, max_moves)

    monkeypatch.setattr(analysis, "line_of", counted)
    game = damier.Game(damier.load_rules("fraha").position(MANY))
    found = analyse(game, nodes=200)
    assert len(found.moves) == len(game.legal_moves()) == 17_654
    assert 0 < len(followed) <= MAX_SEARCHED_LINES
    assert [v.move for v in found.moves if len(v.line) > 1] == [
        v.move for v in found.moves[:MAX_SEARCHED_LINES] if len(v.line) > 1
    ]


def test_moves_of_a_game_have_a_bound(listed: list[int]) -> None:
    game = explosive()
    with pytest.raises(damier.DamierError, match="50"):
        game.legal_moves(50)
    assert listed[0] == 51
    small = damier.Game(damier.load_rules("chefa"))
    assert small.legal_moves(24) == small.legal_moves()
    with pytest.raises(damier.DamierError, match="23"):
        small.legal_moves(23)


def test_a_random_player_lists_few_of_many(listed: list[int]) -> None:
    game = explosive()
    legal = {step.number for step in game.position.steps()}
    chosen = [player("random", seed).choose(game) for seed in range(6)]
    assert listed[0] <= 6 * (MAX_LISTED + 2)
    assert len({move.text for move in chosen}) > 1
    assert all(move.steps[0] in legal for move in chosen)
    assert all(game.play(move.text).ply == 1 for move in chosen)
