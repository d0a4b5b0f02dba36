"""Badia's values in a game: wins that remain under the ban on repeated positions (BA-11)."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

import damier
from damier import Game, i18n, solve
from damier.cli import main
from damier.learning import lessons
from damier.players import player
from damier.report.facts import position_of
from damier.search import Engine, Limits, explain
from damier.search.alphabeta import PROVED
from damier.search.analysis import analyse
from damier.search.protocol import EngineServer
from damier.solve import SuperkoProver, Table, best_line, find, line_of
from tests.support.brute_force import can_force_win

pytestmark = pytest.mark.slow

RULES = damier.load_rules("badia")
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def table() -> Table:
    found = find(RULES)
    assert found is not None
    return found


def decided(table: Table, count: int, seed: int) -> list[Game]:
    """Return games that a few moves have brought from positions which the table calls decided."""
    codes = table.arrays["values"].array()
    rng = random.Random(seed)
    found: list[Game] = []
    while len(found) < count:
        number = rng.randrange(len(codes))
        if not codes[number]:
            continue
        game = Game(position_of(RULES, number))
        for _ in range(rng.randrange(6)):
            if not game.legal_moves():
                break
            game = game.play(rng.choice(game.legal_moves()))
        if game.legal_moves() and table.probe(game.position) != solve.Value("draw"):
            found.append(game)
    return found


@pytest.mark.exhaustive
def test_a_proved_win_holds_against_every_reply(table: Table) -> None:
    rng = random.Random(8)
    won = 0
    for game in decided(table, 60, 1):
        value = solve.value(game)
        assert value is not None
        if value.distance is None:
            continue
        winner = (
            game.position.side if value.outcome == "win" else "wb"["bw".index(game.position.side)]
        )
        last = game.ply + value.distance
        won += 1
        while game.result() is None:
            assert game.ply < last, game
            moves = solve.probe_moves(game)
            best = game.position.side == winner
            game = game.play(moves[0][0] if best else rng.choice(moves)[0])
        result = game.result()
        assert result is not None
        assert result.winner == winner
    assert won > 20


def test_short_wins_are_found_and_no_others(table: Table) -> None:
    """By trying everything three moves deep: what is won so soon, and what is said to be."""
    seen = set()
    for game in decided(table, 25, 2):
        for move, value in solve.probe_moves(game):
            after = game.play(move)
            soon = value.outcome == "win" and value.distance is not None and value.distance <= 3
            assert can_force_win(after, game.position.side, 2) == soon, (game, move, value)
            seen.add(soon)
    assert seen == {False, True}


@pytest.mark.exhaustive
def test_values_agree_from_move_to_move(table: Table) -> None:
    """A move is worth what its best answer leaves: sooner perhaps, but never another result."""
    turned = {"win": "loss", "draw": "draw", "loss": "win"}
    for game in decided(table, 25, 3):
        for move, value in solve.probe_moves(game):
            after = game.play(move)
            answer = solve.value(after)
            if after.result() is not None or answer is None or value.outcome == "draw":
                continue  # of a draw, a longer look may say more
            same = after.position.side == game.position.side
            assert value.outcome == (answer.outcome if same else turned[answer.outcome]), move
            assert answer.distance is not None
            assert value.distance is not None
            assert answer.distance < value.distance


def test_a_line_ends_with_its_result(table: Table) -> None:
    followed = 0
    for game in decided(table, 25, 4):
        for move, value in solve.probe_moves(game):
            line = line_of(game, move, value)
            if value.outcome == "draw":
                assert line == [move]
                continue
            result = game.play(*line).result()
            assert result is not None
            assert len(line) == value.distance
            assert (result.winner == game.position.side) == (value.outcome == "win")
            followed += 1
    assert followed > 50


OPEN = solve.Value("draw", bound=True)  # no forced win is known


def test_superko_removes_wins(table: Table) -> None:
    """The example of docs/tables.md, and a game whose shortest win runs into the ban."""
    lost = RULES.position("bb.bb/b###./w#.#./.###./w.www w c1 b5 -")
    assert table.probe(lost) == solve.Value("loss", 12)
    assert solve.probe(lost) == solve.value(Game(lost)) == OPEN
    moves = "b1 d1 b5 d5 a2 e2 a4 e4 a1 e1 b1-c1"
    game = Game(RULES).play(*moves.split())
    assert table.probe(game.position) == solve.Value("win", 7)
    assert solve.value(game) == OPEN
    assert best_line(game) == []
    best = analyse(game, nodes=4_000).moves[0]
    assert (best.outcome, best.distance, best.bound) == (None, None, True)


def test_superko_gives_wins(table: Table) -> None:
    """A draw by the table is lost where the ban has closed the ways round."""
    start = RULES.position("b..b./b###./.#w#./.###b/wwbww w d1 a4 -")
    game = Game(start).play("a1-a2")
    move = game.parse_move("e2-e3")
    assert table.probe_move(game.position, move) == solve.Value("draw")
    value = dict(solve.probe_moves(game))[move]
    assert value == solve.Value("loss", 4)
    assert can_force_win(game.play(move), "w", 3)
    end = game.play(*line_of(game, move, value)).result()
    assert end is not None
    assert end.winner == "w"


def test_without_superko_the_table_decides() -> None:
    rules = damier.load_rules("badia", repetition="draw")
    lost = rules.position("bb.bb/b###./w#.#./.###./w.www w c1 b5 -")
    assert solve.value(Game(lost)) == solve.Value("loss", 12)


def test_too_large_proofs_claim_nothing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    game = decided(table, 1, 1)[0]
    monkeypatch.setattr("damier.solve.tables.superko_proofs.NODE_LIMITS", (0,))
    for move in game.legal_moves():
        over = game.play(move).result() is not None
        assert (SuperkoProver(game, table).value_of(move.after).outcome == "draw") is not over


def test_draws_that_the_table_calls_won_come_first(table: Table) -> None:
    met = set()
    for game in decided(table, 60, 7):
        drawn = [move for move, value in solve.probe_moves(game) if value.outcome == "draw"]
        order = {"win": 0, "draw": 1, "loss": 2}
        ranks = []
        for move in drawn:
            value = table.probe_move(game.position, move)
            assert value is not None
            ranks.append(order[value.outcome])
        assert ranks == sorted(ranks)
        met |= set(ranks)
    assert met == {0, 1, 2}


def test_the_start_is_open() -> None:
    assert solve.value(Game(RULES)) == solve.probe(RULES.start()) == OPEN


MISSED = ".b.bw/b###b/.#b#./w###w/.w.w. b e5 a4 -"  # the table knows no win, the ban gives one


def test_a_win_that_only_the_ban_gives_is_played_by_every_strong_player() -> None:
    game = Game(RULES.position(MISSED))
    assert solve.value(game) == solve.Value("win", 5)
    best = analyse(game, nodes=4_000).moves[0]
    assert (best.move.text, best.outcome, best.distance, best.bound) == ("c3-c5", "win", 5, False)
    assert can_force_win(game.play("c3-c5"), "b", 4)
    for name in ("level:7", "level:8", "perfect"):
        for seed in range(3):
            assert player(name, seed).choose(game).text == "c3-c5", name


@pytest.mark.slow
def test_the_strongest_players_find_what_level_7_finds(table: Table) -> None:
    """Where the search of level 7 proves a win, level 8 and the perfect player win too."""
    rng, found = random.Random(3), 0
    limits = Limits(nodes=8_000)
    while found < 6:
        game = Game(RULES)
        while game.legal_moves() and game.ply < 24:
            game = game.play(rng.choice(game.legal_moves()))
        if game.over:
            continue
        best = Engine(RULES, expected_nodes=8_000).think(game, limits).best
        if best.value <= PROVED or (best.distance or 0) < 3:
            continue
        found += 1
        for name in ("level:8", "perfect"):
            chosen = player(name, 1).choose(game)
            after = Engine(RULES).think(game.play(chosen), Limits(nodes=50_000)).best
            assert after.value < -PROVED, (name, str(game.position), chosen)


def test_what_is_not_proved_is_called_open_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "badia", "--lang", "en"]) == 0
    said = capsys.readouterr().out
    assert "no forced win is known" in said
    assert "draw" not in said.replace("cannot be drawn", "")
    assert main(["probe", "badia", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bound"] is True
    open_values = [value for _, value in solve.probe_moves(Game(RULES))]
    assert all(value.bound for value in open_values)
    drawn = damier.load_rules("badia", repetition="draw")
    assert solve.probe(drawn.start()) == solve.Value("draw")


def test_a_placement_can_decide_the_game() -> None:
    """The page of rules shows a placement after which White wins, whatever Black replies."""
    text = "bb.b./b###b/.#.#./w###./ww.ww w - - -"
    assert text in (RULES.folder.page("en") or "")
    game = Game(RULES.position(text))
    assert solve.value(game) == solve.Value("win", 3)
    after = game.play("d1-c1")
    for reply in after.legal_moves():
        result = after.play(reply, "e1-d1").result()
        assert result is not None
        assert result.winner == "w"


NO_DRAWS = re.compile("there are no draws|la nulle n’existe pas")
DRAW_WORDS = re.compile(r"\bdraws?\b|\bdrawn\b|\bnulles?\b", re.IGNORECASE)


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_no_text_speaks_of_a_draw_where_the_rules_know_none(language: str) -> None:
    """Analysis, explanations, engine, lessons and the table of results, by the default rules."""
    rng = random.Random(8)
    said = list(lessons.read("badia").words[language].values())
    lines: list[str] = []
    server = EngineServer(lines.append)
    with i18n.use_language(language):
        for _ in range(3):
            game = Game(RULES)
            for _ in range(30):
                if game.legal_moves():
                    game = game.play(rng.choice(game.legal_moves()))
            before = game.at(max(0, game.ply - rng.randrange(1, 6)))
            values = analyse(before, nodes=2_000).moves
            assert {value.outcome for value in values} <= {"win", "loss", None}
            said += explain(before, values[-1].move.text, nodes=2_000).sentences
            moves = " ".join(move.text for move in before.moves_played)
            server.serve([f"position badia turns {moves}", "go nodes 500", "isready"])
    page = (DOCS / f"results{'' if language == 'en' else f'.{language}'}.md").read_text("utf-8")
    badia = page[page.index("## Badia") : page.index("## Fraha")]
    said += [line for line in badia.splitlines() if "repetition=draw" not in line]
    assert any("bestturn" in line for line in lines)
    for text in said + lines:
        assert not DRAW_WORDS.search(NO_DRAWS.sub("", text)), text
