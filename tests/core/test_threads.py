"""Thread safety: immutable games are shared; an engine searches for one thread at a time."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from random import Random

import pytest

import damier
from damier import gameplay, i18n
from damier.search import Engine, Limits, SearchResult, Stop


@pytest.fixture(autouse=True)
def _switch_threads_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Call a function in several threads at once; raise the first exception of any thread."""
    failures: list[BaseException] = []
    together = threading.Barrier(count)

    def run(number: int) -> None:
        try:
            together.wait()
            work(number)
        except BaseException as error:  # the test's thread raises it
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_games_of_different_threads_are_independent() -> None:
    """Eight threads continue the same games, with equal moves and with different ones."""
    rows = "b......../......b.b/........./w......../........w w 0"  # positions come back
    start = damier.load_rules("fanorona").position(rows)
    shared = [damier.Game(start).play("a2-a3", "i4-h4")]

    def play(number: int) -> None:
        random = Random(number % 4)  # some threads play the same moves
        for _ in range(150):
            game = shared[random.randrange(len(shared))]
            wanted = [move.text for move in game.moves_played]
            for _ in range(random.randrange(1, 4)):
                choices = game.legal_moves()
                if not choices:
                    break
                text = random.choice(choices).text
                before = game
                game = game.play(text)
                wanted.append(text)
                assert [move.text for move in game.moves_played] == wanted
                assert game.ply == len(wanted)
                assert len(game.positions) == game.ply + 1
                assert game.position == before.position.play(text)
                seen = [(p.white, p.black, p.side) for p in game.positions]
                assert game.occurrences() == seen.count(seen[-1])
                assert before.text == " ".join(wanted[:-1])
            if game.result() is None and len(shared) < 400:
                shared.append(game.at(random.randrange(2, game.ply + 1)))

    in_threads(8, play)
    for game in shared:
        again = damier.Game(start).play(*(move.text for move in game.moves_played))
        assert (again.position, again.positions) == (game.position, game.positions)


def test_threads_play_from_one_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thread plays another move from one game, whose history is slow to extend."""
    extend = gameplay._SharedHistory.extend

    def slowly(line: gameplay._SharedHistory, move: damier.Move) -> None:
        time.sleep(0.001)
        extend(line, move)

    monkeypatch.setattr(gameplay._SharedHistory, "extend", slowly)
    rules = damier.load_rules("seega")
    texts = [move.text for move in damier.Game(rules).legal_moves()][:8]
    for _ in range(10):
        start, played = damier.Game(rules), dict.fromkeys(texts, "")

        def play(number: int, start: damier.Game = start, played: dict[str, str] = played) -> None:
            text = texts[number]
            played[text] = start.play(text).text

        in_threads(len(texts), play)
        assert played == {text: text for text in texts}
        assert start.text == ""


def test_an_engine_that_thinks_refuses_another_thread() -> None:
    rules = damier.load_rules("chefa")
    game, engine, stop = (
        damier.Game(rules),
        Engine(rules, expected_nodes=1000, compiled=False),
        Stop(),
    )
    limits = Limits(nodes=300)
    alone = engine.think(game, limits)
    begun = threading.Event()
    lines: list[tuple[str, ...]] = []

    def report(result: SearchResult) -> None:
        lines.append(engine.line(result.best, game))  # the searching thread may use the engine
        begun.set()

    thread = threading.Thread(
        target=engine.think, args=(game, Limits()), kwargs={"stop": stop, "report": report}
    )
    thread.start()
    assert begun.wait(60)
    try:
        for language, word in (("en", "already searching"), ("fr", "réfléchit")):
            i18n.set_language(language)
            with pytest.raises(damier.DamierError, match=word):
                engine.think(game, limits)
            with pytest.raises(damier.DamierError, match=word):
                engine.line(alone.best, game)
    finally:
        i18n.set_language("en")
        stop.set()
        thread.join()
    assert lines[0]
    after = engine.think(game, limits)
    assert (after.moves, after.nodes) == (alone.moves, alone.nodes)


def test_an_engine_is_free_after_a_failure() -> None:
    rules = damier.load_rules("chefa")
    game, engine = damier.Game(rules), Engine(rules, expected_nodes=1000, compiled=False)

    def fails(_: SearchResult) -> None:
        engine.think(game, Limits(depth=1))  # a search cannot start another one

    with pytest.raises(damier.DamierError, match="already searching"):
        engine.think(game, Limits(depth=2), report=fails)
    assert engine.think(game, Limits(depth=1)).moves
