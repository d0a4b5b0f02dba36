"""What threads share: games, which are immutable, and engines, which think one at a time."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from random import Random

import pytest

import damier
from damier import history, lang
from damier.search import Engine, Limits, SearchResult, Stop


@pytest.fixture(autouse=True)
def _threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Do the same in some threads at once; raise what one of them raises."""
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


def test_every_game_is_its_own() -> None:
    """Eight threads go on from the same games, along the same lines and off them."""
    rows = "b......../......b.b/........./w......../........w w 0"  # positions come back
    start = damier.game("fanorona").position(rows)
    shared = [damier.Game(start).play("a2-a3", "i4-h4")]

    def play(number: int) -> None:
        drawn = Random(number % 4)  # some threads play the same turns
        for _ in range(150):
            game = shared[drawn.randrange(len(shared))]
            wanted = [turn.text for turn in game.turns_played]
            for _ in range(drawn.randrange(1, 4)):
                choices = game.turns()
                if not choices:
                    break
                text = drawn.choice(choices).text
                before = game
                game = game.play(text)
                wanted.append(text)
                assert [turn.text for turn in game.turns_played] == wanted
                assert game.ply == len(wanted)
                assert len(game.positions) == game.ply + 1
                assert game.position == before.position.play(text)
                seen = [(p.white, p.black, p.side) for p in game.positions]
                assert game.occurrences() == seen.count(seen[-1])
                assert before.text == " ".join(wanted[:-1])
            if game.result() is None and len(shared) < 400:
                shared.append(game.at(drawn.randrange(2, game.ply + 1)))

    in_threads(8, play)
    for game in shared:
        again = damier.Game(start).play(*(turn.text for turn in game.turns_played))
        assert (again.position, again.positions) == (game.position, game.positions)


def test_threads_that_play_at_once_from_one_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each plays a turn of its own from the end of one line, which takes its time to grow."""
    extend = history._Line.extend

    def slowly(line: history._Line, turn: damier.Turn) -> None:
        time.sleep(0.001)
        extend(line, turn)

    monkeypatch.setattr(history._Line, "extend", slowly)
    rules = damier.game("seega")
    texts = [turn.text for turn in damier.Game(rules).turns()][:8]
    for _ in range(10):
        start, played = damier.Game(rules), dict.fromkeys(texts, "")

        def play(number: int, start: damier.Game = start, played: dict[str, str] = played) -> None:
            text = texts[number]
            played[text] = start.play(text).text

        in_threads(len(texts), play)
        assert played == {text: text for text in texts}
        assert start.text == ""


def test_an_engine_that_thinks_refuses_another_thread() -> None:
    rules = damier.game("chefa")
    game, engine, stop = damier.Game(rules), Engine(rules, room=1000, compiled=False), Stop()
    limits = Limits(nodes=300)
    alone = engine.think(game, limits)
    begun = threading.Event()
    lines: list[tuple[str, ...]] = []

    def report(result: SearchResult) -> None:
        lines.append(engine.line(result.best, game))  # the one that thinks may ask
        begun.set()

    thread = threading.Thread(
        target=engine.think, args=(game, Limits()), kwargs={"stop": stop, "report": report}
    )
    thread.start()
    assert begun.wait(60)
    try:
        for language, word in (("en", "thinking"), ("fr", "réfléchit")):
            lang.use(language)
            with pytest.raises(damier.DamierError, match=word):
                engine.think(game, limits)
            with pytest.raises(damier.DamierError, match=word):
                engine.line(alone.best, game)
    finally:
        lang.use("en")
        stop.set()
        thread.join()
    assert lines[0]
    after = engine.think(game, limits)
    assert (after.turns, after.nodes) == (alone.turns, alone.nodes)


def test_an_engine_is_free_after_a_failure() -> None:
    rules = damier.game("chefa")
    game, engine = damier.Game(rules), Engine(rules, room=1000, compiled=False)

    def fails(_: SearchResult) -> None:
        engine.think(game, Limits(depth=1))  # not from inside either

    with pytest.raises(damier.DamierError, match="thinking"):
        engine.think(game, Limits(depth=2), report=fails)
    assert engine.think(game, Limits(depth=1)).turns
