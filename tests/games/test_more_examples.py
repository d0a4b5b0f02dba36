"""The examples with kings and with hexagons, compared with second implementations."""

import re
from pathlib import Path

import pytest

import damier
from damier import DamierError, Position, Rules, i18n, jit, solve
from damier.cli import main
from damier.games import load
from damier.games.board import Board, map_cells
from damier.players import player
from damier.rulebook import read
from damier.symmetry import symmetry_key
from damier.web.endpoints import answer
from tests.support import reference_games as reference
from tests.support.rulesets import reachable

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("own_registry")]

EXAMPLES = Path(__file__).parents[2] / "examples"


def rules_of(name: str, **options: str) -> Rules:
    return damier.load_rules(load(EXAMPLES / name).name, **options)


def cells_of(board: Board, bits: int) -> frozenset[reference.Cell]:
    return frozenset(
        (i % board.files, i // board.files) for i in range(board.size) if bits >> i & 1
    )


def state_of(position: Position) -> reference.State:
    """Return a position as a second implementation has it."""
    board, kings = position.rules.board, position.rules.module.promoted(*position.words)
    white, black = (cells_of(board, cells) for cells in (position.white, position.black))
    side = "wb".index(position.side)
    return reference.State((white, black), side, cells_of(board, kings))


SOLVED = [
    ("draughts", "4x4", reference.Draughts(4, 1), ("draw", None)),
    ("hex", "3x3", reference.Hex(3), ("win", 5)),
]


@pytest.mark.parametrize(("name", "size", "other", "start"), SOLVED, ids=["draughts", "hex"])
def test_every_position_has_the_right_moves_and_value(
    name: str, size: str, other: reference.Reference, start: tuple[str, int | None]
) -> None:
    rules = rules_of(name, size=size)
    assert main(["solve", str(EXAMPLES / name), f"--option=size={size}"]) == 0
    values, count = reference.values(other), 0
    assert values[other.start] == start
    for position in reachable(rules):
        state, moves = state_of(position), position.legal_moves()
        assert {state_of(move.after) for move in moves} == other.after(state)
        result = position.result()
        assert (result is None) == bool(moves)
        assert result is None or result.winner == "wb"[other.winner(state)]
        assert rules.position(str(position)) == position
        found = solve.probe(position)
        assert found is not None
        assert (found.outcome, found.distance) == values[state], position
        count += 1
    assert count == len(values)


@pytest.mark.parametrize(
    ("name", "other", "depth"),
    [("draughts", reference.Draughts(6, 2), 6), ("hex", reference.Hex(5), 3)],
)
def test_perft_in_plain_python_and_compiled(
    name: str, other: reference.Reference, depth: int
) -> None:
    rules = rules_of(name)
    expected = [reference.paths(other, n) for n in range(1, depth + 1)]
    assert [rules.start().perft(n) for n in range(1, depth + 1)] == expected
    if jit.enabled():
        rules.compile()  # compares the compiled rules with the plain ones
        assert [rules.start().perft(n) for n in range(1, depth + 1)] == expected


@pytest.mark.parametrize("name", ["draughts", "hex"])
def test_an_example_is_short_and_complete(name: str) -> None:
    folder = load(EXAMPLES / name)
    assert len((EXAMPLES / name / "rules.py").read_text("utf-8").splitlines()) <= 150
    assert folder.warnings == []
    said = [folder.texts(language) for language in i18n.LANGUAGES]
    assert said[0].keys() == said[1].keys()
    pages = [read(name, language) for language in i18n.LANGUAGES]
    assert [s.key for s in pages[0].sections] == [s.key for s in pages[1].sections]
    for one, other in zip(pages[0].diagrams, pages[1].diagrams, strict=True):
        assert one.equals_except_caption(other)
    for line in (EXAMPLES / name / "page.fr.md").read_text("utf-8").splitlines():
        assert not re.search(r" [:;?!»]|« |'", re.sub(r"`[^`]*`|^\w+:", "", line)), line


@pytest.mark.parametrize("name", ["draughts", "hex"])
def test_the_engine_beats_chance(name: str) -> None:
    rules = rules_of(name)
    sides = {"w": player("random", seed=5), "b": player("level:6", seed=1)}
    game = damier.Game(rules)
    while not game.over:
        game = game.play(sides[game.position.side].choose(game))
    result = game.result()
    assert result is not None
    assert result.winner == "b"


KINGS = "#.#.#b/.#.#b#/#.#.#./.#w#.#/#w#.#./.#.#w# w e1,f6"


def test_kings_are_drawn_and_written() -> None:
    position = rules_of("draughts").position(KINGS)
    drawn = position.draw()
    assert "│ ⊛ │" in drawn
    assert "│ ❖ │" in drawn
    assert "Kings: White e1, Black f6." in drawn
    assert "| @ |" in position.draw(ascii=True)
    assert "| % |" in position.draw(ascii=True)
    plain = rules_of("draughts").position(KINGS.replace("e1,f6", "-"))
    crowns = [p.svg().count('d="M') for p in (position, plain)]
    assert crowns[0] == crowns[1] + 2
    with pytest.raises(DamierError, match="no pawn on a1"):
        rules_of("draughts").position(KINGS.replace("e1,f6", "a1"))
    with pytest.raises(DamierError, match="e1,f6"):
        rules_of("draughts").position(KINGS.replace("e1,f6", "f6,e1"))


def test_the_page_receives_kings() -> None:
    load(EXAMPLES / "draughts")
    start = "#.#.#./w#.#.#/#.#.#./.#.#.#/#.#.#./.#.#b# w -"
    body: dict[str, object] = {"game": "draughts", "start": start, "begun": []}
    body |= {"turns": [], "options": {}, "preset": None}
    status, text = answer("state", {**body, "turns": []}, "en", None)
    assert status == 200
    assert b'"set":{"a5":".","b6":"W"}' in text
    status, text = answer("state", {**body, "turns": ["a5-b6"]}, "en", None)
    assert b'"cells":{"e1":"b","b6":"W"}' in text


def test_other_kings_are_another_position() -> None:
    rules = rules_of("draughts")
    crowned, plain = (rules.position(KINGS.replace("e1,f6", kings)) for kings in ("e1", "-"))
    assert symmetry_key(rules.module, crowned.words) != symmetry_key(rules.module, plain.words)
    start = rules.position("#.#.#./.#.#.#/#.#.#./.#.#.#/#.#.#./w#.#b# w a1,e1")
    game, moves = damier.Game(start), ["a1-b2", "e1-d2", "b2-a1", "d2-e1"]
    for move in moves:
        game = game.play(move)
    assert game.occurrences() == 2
    for move in moves:
        game = game.play(move)
    result = game.result()
    assert result is not None
    assert (result.winner, result.reason) == (None, "repetition")


def test_hexagons_are_drawn() -> None:
    position = rules_of("hex").position("...../.w.../..b../...../..... w")
    drawn = position.draw()
    assert "5  ·───·───·───·───·\n" in drawn
    assert "4    ·───○───·───·───·\n" in drawn
    assert "             a   b   c   d   e\n" in drawn
    assert "O---.---." in position.draw(ascii=True)
    assert position.svg().count("<polygon") == 25


def test_a_hexagonal_board_has_six_neighbours_and_twelve_symmetries() -> None:
    hexagon = Board.hexagon(3)
    assert hexagon.cells.bit_count() == 19
    assert sorted(near.bit_count() for near in hexagon.near) == 6 * [0] + 6 * [3] + 6 * [4] + 7 * [
        6
    ]
    assert len(hexagon.symmetries) == 12
    assert len(hexagon.rows(3)) == 27
    assert len(Board(4, 4, hexagonal=True).symmetries) == 4
    assert len(Board.hexagon(3, symmetry=("sixth-turn",)).symmetries) == 6
    for to in hexagon.symmetries:
        assert all(
            map_cells(near, to) == hexagon.near[to[i]] for i, near in enumerate(hexagon.near)
        )
