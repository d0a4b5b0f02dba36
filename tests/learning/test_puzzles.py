"""Shipped puzzles: reading, symmetric images, attempts, and the puzzle of the day."""

from __future__ import annotations

import datetime
import io
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import damier
from damier import Game
from damier.cli import main
from damier.cli.puzzle import MAX_CANDIDATES
from damier.errors import DamierError
from damier.learning.puzzles import Puzzle, daily, find_puzzle, puzzles
from damier.web import handlers
from tests.support.http_client import post

WITH_PUZZLES = [name for name in damier.GAMES if puzzles(name)]
SAMPLE = [puzzle for name in WITH_PUZZLES for puzzle in puzzles(name)[::25]]


@pytest.mark.parametrize("puzzle", SAMPLE, ids=lambda puzzle: f"{puzzle.game}-{puzzle.id}")
def test_every_image_is_solved_by_its_line(puzzle: Puzzle) -> None:
    assert puzzle.image(0) == puzzle
    positions = set()
    for number in range(puzzle.images):
        image = puzzle.image(number)
        positions.add(image.position)
        for done in range(0, len(image.line), 2):
            verdict = image.attempt(image.line[: done + 1])
            assert verdict.right
            assert verdict.solved == (done + 1 == len(image.line))
            assert verdict.reply == (None if verdict.solved else image.line[done + 1])
            (cell,) = image.hint(image.line[:done])
            assert cell in image.line[done]
    assert len(positions) > 1 or puzzle.images == 1


def wrong(puzzle: Puzzle) -> str:
    played = Game(puzzle.start)
    right = played.parse_move(puzzle.line[0]).words
    return next(move.text for move in played.legal_moves() if move.words != right)


@pytest.mark.slow  # a search for each puzzle
@pytest.mark.parametrize("name", WITH_PUZZLES)
def test_a_wrong_move_is_punished_by_moves_that_can_be_played(name: str) -> None:
    for puzzle in puzzles(name)[::60]:
        text = wrong(puzzle)
        verdict = puzzle.attempt([text])
        assert not verdict.right
        assert not verdict.solved
        assert verdict.said
        Game(puzzle.start).play(text, *verdict.punishment)


def test_invalid_requests_are_refused() -> None:
    puzzle = puzzles(WITH_PUZZLES[0])[0]
    with pytest.raises(DamierError, match="image"):
        puzzle.image(puzzle.images)
    with pytest.raises(DamierError, match="no puzzle"):
        find_puzzle(puzzle.game, "00000000")
    with pytest.raises(DamierError, match="over"):
        puzzle.hint(puzzle.line)


def test_a_puzzle_is_read_as_it_is_written() -> None:
    for puzzle in SAMPLE:
        assert Puzzle.read(puzzle.game, puzzle.written()) == puzzle


def test_a_game_without_puzzles_has_none(own_registry: None) -> None:
    folder = damier.games.load(Path(__file__).parents[2] / "examples" / "tapatan")
    assert puzzles(folder.name) == ()
    assert handlers.list_puzzles({"game": folder.name}) == {"puzzles": []}


def test_each_day_has_a_puzzle_and_days_differ() -> None:
    first = datetime.date(2026, 11, 18)
    days = [daily(first + datetime.timedelta(days=n)) for n in range(60)]
    assert days == [daily(first + datetime.timedelta(days=n)) for n in range(60)]
    assert len({(puzzle.game, puzzle.id) for puzzle in days}) == 60
    assert {puzzle.game for puzzle in days} == set(WITH_PUZZLES)
    asked = handlers.get_daily_puzzle({"date": "2026-11-18"})
    assert asked == {"game": days[0].game, "id": days[0].id}
    with pytest.raises(DamierError, match="not a date"):
        handlers.get_daily_puzzle({"date": "tomorrow"})


def two_moves() -> Puzzle:
    """Return a puzzle that goes on after its first move, and that no other begins like."""
    name = WITH_PUZZLES[-1]
    return next(puzzle for puzzle in puzzles(name) if puzzle.length == 2)


def solved_by(monkeypatch: pytest.MonkeyPatch, lines: list[str], *arguments: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    return main(["puzzle", *arguments])


def test_a_puzzle_is_solved_in_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    puzzle = two_moves()
    asked = [puzzle.game, "--id", puzzle.id]
    typed = ["hint", wrong(puzzle), puzzle.line[0].upper(), puzzle.line[2], "next", "quit"]
    assert solved_by(monkeypatch, typed, *asked, "--lang", "en") == 0
    said = capsys.readouterr().out
    assert f"begins here: {puzzle.hint()[0]}" in said
    assert "Try again." in said
    assert f"The reply: {puzzle.line[1]}" in said
    assert "Solved" in said
    assert said.count("difficulty") == 2  # this one and the next
    assert solved_by(monkeypatch, ["solution", "quitter"], *asked, "--lang", "fr") == 0
    said = capsys.readouterr().out
    assert "  ".join(puzzle.line) in said
    assert "Votre force" in said
    assert solved_by(monkeypatch, [], *asked) == 0  # the input ends: so does the command
    capsys.readouterr()


def test_puzzles_in_the_terminal_are_chosen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert solved_by(monkeypatch, [], "--daily", "--lang", "en") == 0
    today = daily(datetime.datetime.now(datetime.UTC).date())
    assert today.id in capsys.readouterr().out
    name = WITH_PUZZLES[0]
    assert solved_by(monkeypatch, [], name, "--theme", "nonsense", "--lang", "en") == 0
    assert "no such puzzles" in capsys.readouterr().out
    hardest = [puzzle.points for puzzle in puzzles(name)[-MAX_CANDIDATES:]]
    assert solved_by(monkeypatch, [], name, "--rating", str(hardest[-1]), "--lang", "en") == 0
    shown = capsys.readouterr().out.partition("difficulty ")[2].split()[0]
    assert int(shown) in hardest


def test_puzzles_over_http(client: TestClient) -> None:
    puzzle = two_moves()
    named: dict[str, Any] = {"game": puzzle.game, "id": puzzle.id}
    listed = post(client, "puzzles", game=puzzle.game)["puzzles"]
    (one,) = [entry for entry in listed if entry["id"] == puzzle.id]
    assert one["length"] == 2
    assert "line" not in one  # nothing gives it away
    shown = post(client, "puzzles/shown", **named, image=1)
    image = puzzle.image(1)
    assert (shown["start"], shown["side"]) == (image.position, image.start.side)
    state = post(
        client, "state", game=shown["game"], options=shown["options"], start=shown["start"]
    )
    assert state["side"] == shown["side"]
    first = post(client, "puzzles/attempt", **named, image=1, turns=[image.line[0]])
    assert (first["right"], first["solved"], first["reply"]) == (True, False, image.line[1])
    last = post(client, "puzzles/attempt", **named, image=1, turns=list(image.line))
    assert (last["right"], last["solved"], last["reply"]) == (True, True, None)
    failed = post(client, "puzzles/attempt", **named, turns=[wrong(puzzle)])
    assert not failed["right"]
    hint = post(client, "puzzles/hint", **named)
    assert hint["cells"] == puzzle.hint()
    assert len(hint["steps"]) == len(Game(puzzle.start).parse_move(puzzle.line[0]).steps)
    assert [hint["steps"][0]["origin"] or hint["steps"][0]["target"]] == puzzle.hint()
    assert post(client, "puzzles/solution", **named)["line"] == list(puzzle.line)
    day = post(client, "puzzles/daily", date="2026-11-18")
    assert day["id"] in {found.id for found in puzzles(day["game"])}
    unknown = post(client, "puzzles/shown", 404, game=puzzle.game, id="00000000")
    assert unknown["error"]["key"] == "puzzle"
    assert post(client, "puzzles/daily", 400, date="soon")["error"]["key"] == "puzzle-date"
    turned = post(client, "puzzles/shown", 400, **named, image=15)["error"]["key"]
    assert turned == "puzzle-image" or puzzle.images == 16
