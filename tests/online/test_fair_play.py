"""The fair-play guard of rated games: refused and accepted requests."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from damier import GAMES, Game, Position, load_rules
from damier.errors import DamierError
from damier.learning import lessons
from damier.learning.puzzles import puzzles
from damier.online import events as e
from damier.online import reducer
from damier.online.fair_play import FIRST_PLIES, FairPlayGuard, positions_of
from damier.online.reducer import OnlineGame
from damier.symmetry import board_key, transformed
from tests.support.online_client import START, OnlineTestServer


def game_after(name: str, moves: list[str]) -> OnlineGame:
    """Return a rated game after some moves."""
    setup = e.GameSetup(game=name, rated=True, colour="w", clock=e.CorrespondenceClock(days=1))
    events: list[e.GameEvent] = [
        e.GameCreated(version=1, at=START, creator="ada", terms=setup),
        e.PlayerJoined(version=2, at=START, w="ada", b="blaise"),
    ]
    for version, move in enumerate(moves, 3):
        side = cast(e.Side, "wb"[version % 2])
        events.append(e.MovePlayed(version=version, at=START, by=side, turn=move))
    return reducer.fold(f"{name}-{'-'.join(moves)}", events)


def random_game(name: str, plies: int, seed: int = 0) -> Game:
    random, game = Random(seed), Game(load_rules(name))
    while game.ply < plies:
        moves = list(game.legal_moves())
        game = next(g for m in random.sample(moves, len(moves)) if not (g := game.play(m)).over)
    return game


def moves_of(game: Game) -> list[str]:
    return [move.text for move in game.moves_played]


def guard() -> FairPlayGuard:
    return FairPlayGuard(cast(Any, type("Service", (), {"store": None})))


GUARD = guard()  # its cache makes the tests fast


def is_refused(game: OnlineGame, **body: Any) -> bool:
    request = {"game": game.rules.name, "options": {}, **body}
    return GUARD.is_about(positions_of(request), game)


def other_options(name: str) -> Iterator[dict[str, str]]:
    """Yield options of a game with another value, one at a time."""
    for option in load_rules(name).module.OPTIONS:
        for value in (*option.values, "99")[:3]:
            is_other = option.name not in ("board", "size") and value != option.default
            if is_other and (value in option.values or option.most):
                yield {option.name: value}


@pytest.mark.parametrize("name", GAMES)
def test_the_game_and_what_follows_are_protected_however_they_are_written(name: str) -> None:
    play = random_game(name, 9)
    game = game_after(name, moves_of(play))
    random = Random(1)
    successor = play.play(random.choice(play.legal_moves()))
    second = successor.play(random.choice(successor.legal_moves()))
    for position in (play.position, successor.position, second.position, play.positions[-3]):
        text = str(position)
        assert is_refused(game, start=text)
        for options in other_options(name):
            if set(options.values()) == {"99"} or accepts(name, options, text):
                assert is_refused(game, start=text, options=options), options
        for symmetry in range(len(play.rules.board.symmetries)):
            words = transformed(play.rules.module, position.words, symmetry)
            assert is_refused(game, start=str(Position(play.rules, *words)))
    assert is_refused(game, turns=moves_of(play))
    assert is_refused(game, start=str(play.positions[3]), turns=moves_of(second)[3:])
    deeper = second
    for _ in range(2):  # a line through the current position
        deeper = deeper.play(next(m for m in deeper.legal_moves() if not deeper.play(m).over))
    assert is_refused(game, turns=moves_of(deeper))


@pytest.mark.parametrize("name", GAMES)
def test_each_of_many_positions_is_protected(name: str) -> None:
    play = random_game(name, 9)
    game = game_after(name, moves_of(play))
    others = [str(random_game(name, 9, seed).position) for seed in (1, 2)]
    assert not is_refused(game, positions=[*others, "nonsense"])
    assert not is_refused(game, positions=[])
    successor = play.play(play.legal_moves()[0])
    for protected in (str(play.position), str(play.positions[5]), str(successor.position)):
        for place in range(4):
            texts = ["nonsense", *others]
            texts.insert(place, protected)
            assert is_refused(game, positions=texts), place


def accepts(name: str, options: dict[str, str], text: str) -> bool:
    try:
        load_rules(name, **options).position(text)
    except DamierError:
        return False
    return True


@pytest.mark.parametrize("name", GAMES)
def test_other_positions_and_the_first_ones_are_not_protected(name: str) -> None:
    play = random_game(name, 9)
    game = game_after(name, moves_of(play))
    for ply in range(FIRST_PLIES):
        assert not is_refused(game, turns=moves_of(play)[:ply])
        assert not is_refused(game, start=str(play.positions[ply]))
    for seed in range(1, 6):
        other = random_game(name, 9, seed)
        for ply in range(10):
            assert not is_refused(game, turns=moves_of(other)[:ply]), (seed, ply)
    beginning = game_after(name, moves_of(play)[:1])
    assert not is_refused(beginning, turns=moves_of(play)[:1])


def test_a_puzzle_or_lesson_with_the_position_is_no_way_round() -> None:
    puzzle = next(one for one in puzzles("chefa") if not one.options)
    stage = lessons.read("chefa").steps[5].stages[0]
    game = game_after("chefa", moves_of(random_game("chefa", 5)))
    for position, body in (
        (puzzle.start, {"id": puzzle.id, "image": 1}),
        (stage.position, {"step": 5, "stage": 0, "turn": "a1"}),
    ):
        asked = positions_of({"game": "chefa", **body})
        assert len(asked) == 1
        assert not guard().is_about(asked, game)
        own = guard()
        own.is_about(asked, game)  # fills the cache of protected boards
        protected = {board_key(position.rules.board, True, position.words)}
        own._protected[game.id] = game.version, frozenset(protected)
        assert own.is_about(asked, game)
    assert positions_of({"game": "chefa", "step": 99, "stage": 99, "turn": "a1"}) == ()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnlineTestServer]:
    path: Path = tmp_path_factory.mktemp("online") / "online.sqlite"
    server = OnlineTestServer(f"sqlite+aiosqlite:///{path}")
    yield server
    server.close()


def test_players_of_a_rated_game_get_no_help_with_it_and_others_do(
    server: OnlineTestServer,
) -> None:
    ada, blaise = (server.create_identity(name)["secret"] for name in ("Ada", "Blaise"))
    live = {"kind": "live", "minutes": 5, "seconds": 3}
    asked = {"game": "chefa", "colour": "w", "clock": live, "rated": True}
    _, made = server.request("games", asked, ada)
    server.request(f"games/{made['id']}/join", None, blaise)
    play = random_game("chefa", 5)
    moves = moves_of(play)
    for ply, move in enumerate(moves):
        act = {"id": f"m{ply}", "version": ply + 2, "act": {"kind": "turn", "turn": move}}
        done = server.request(f"games/{made['id']}/acts", act, (ada, blaise)[ply % 2])
        assert done[0] == 200

    def help_with(name: str = "probe", secret: str = "", **body: Any) -> int:
        return server.request(f"/api/v1/{name}", {"game": "chefa", **body}, secret)[0]

    after = play.play(play.legal_moves()[0])
    other = random_game("chefa", 7, seed=3)
    for secret in (ada, blaise, ""):  # by who they are, or from where they play
        assert help_with(secret=secret, turns=moves) == 403
        assert help_with(secret=secret, start=str(after.position)) == 403
        line = {"line": "contiguous"}
        assert help_with(secret=secret, start=str(play.position), options=line) == 403
        assert help_with("move", secret, turns=moves, level=1) == 403
        texts = [str(other.position), str(play.position), str(other.positions[-2])]
        assert help_with(secret=secret, positions=texts) == 403
        assert help_with(secret=secret, positions=texts[::2]) == 200
        assert help_with("analysis", secret, turns=moves, nodes=10) == 403
        assert help_with(secret=secret) == 200
        assert help_with(secret=secret, turns=moves_of(other)) == 200
        assert help_with("puzzles", secret) == 200
        assert server.request("/api/v1/state", {"game": "chefa", "turns": moves}, secret)[0] == 200
    resign = {"id": "x", "version": 7, "act": {"kind": "resign"}}
    assert server.request(f"games/{made['id']}/acts", resign, blaise)[0] == 200
    assert help_with(secret=ada, turns=moves) == 200  # it is over


def test_hints_in_a_casual_game_are_shown_to_the_opponent(server: OnlineTestServer) -> None:
    ada, blaise = (server.create_identity(name)["secret"] for name in ("Ada", "Blaise"))
    _, made = server.request("games", {"game": "chefa", "colour": "w"}, ada)
    server.request(f"games/{made['id']}/join", None, blaise)
    act = {"id": "m", "version": 2, "act": {"kind": "turn", "turn": "a1"}}
    assert server.request(f"games/{made['id']}/acts", act, ada)[0] == 200
    with server.connect(ada) as white:
        white.send(type="follow", game=made["id"])
        white.wait_for("game")
        question = {"game": "chefa", "turns": ["a1"], "nodes": 10}
        assert server.request("/api/v1/analysis", question, "")[0] == 200  # of somebody else
        for _ in range(3):
            assert server.request("/api/v1/analysis", question, blaise)[0] == 200
        message = white.wait_for_event("hint")
        assert message["event"]["by"] == "b"
        assert message["view"]["hints"] == {"w": 0, "b": 1}
        other = {**question, "turns": []}
        assert server.request("/api/v1/analysis", other, blaise)[0] == 200
    _, kept = server.request(f"games/{made['id']}/events", get=True)
    assert [event["kind"] for event in kept["events"]] == ["created", "joined", "turn", "hint"]
