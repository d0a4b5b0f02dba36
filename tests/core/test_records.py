"""Game records: reading, writing, and errors with their line."""

import pytest

import damier
from damier import Game, Result, Rules, record
from damier.record import Record
from tests.support.rulesets import RULESETS, random_game

GOOD = """\
[Game "chefa"]
[Options "first_mover=last"]
[White "Ada \\"the first\\""]
[Black "Blaise"]
[Date "2026-11-16"]
[Event "Salon"]

1. b2 2. d4
3. b3
"""


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS.keys())
def test_records_round_trip(rules: Rules) -> None:
    records = [Record(random_game(rules, seed, max_moves=30), "Ada", "Blaise") for seed in range(3)]
    later = Game(records[0].game.position)
    if later.legal_moves():
        later = later.play(later.legal_moves()[-1])
    records.append(Record(later, headers={"Event": "Salon"}))
    text = record.write(records)
    again, problems = record.read(text)
    assert problems == []
    assert again == records
    assert record.write(again) == text


def test_headers_are_read_and_kept() -> None:
    (one,), problems = record.read(GOOD)
    assert not problems
    assert one.white == 'Ada "the first"'
    assert one.headers == {"Event": "Salon"}
    assert one.game.rules is damier.load_rules("chefa", "fair")
    assert one.game.text == "b2 d4 b3"
    assert one.result is None
    assert record.read(str(one)) == ([one], [])


def test_agreed_results_are_kept() -> None:
    text = GOOD.replace('[Event "Salon"]', '[Result "0-1"]\n[Reason "resigned"]')
    (one,), problems = record.read(text)
    assert not problems
    assert one.result == Result("b", "resigned")
    assert record.read(str(one))[0] == [one]


def test_names_stay_on_one_line() -> None:
    one = Record(Game(damier.load_rules("chefa")), white='A\n[Game "x"] \\', black='"')
    (again,), problems = record.read(str(one))
    assert not problems
    assert again.white == 'A [Game "x"] \\'
    assert again.black == '"'


def test_a_header_that_could_not_be_read_is_not_written() -> None:
    with pytest.raises(damier.DamierError, match="not a header"):
        str(Record(Game(damier.load_rules("chefa")), headers={"two words": "x"}))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('[Game "chefa"]', '[Game "chess"]', 1, "no game called"),
        ('[Game "chefa"]\n', "", 1, "which game"),
        ("first_mover=last", "first_mover", 2, "name=value"),
        ("first_mover=last", "first=last", 2, "no option"),
        ('[Black "Blaise"]', "[Black Blaise]", 4, "not a header"),
        ('[Black "Blaise"]', '[White "Blaise"]', 4, "twice"),
        ('[Event "Salon"]', '[Position "x"]', 6, "parts"),
        ('[Event "Salon"]', '[Result "2-0"]', 6, "not a result"),
        ('[Event "Salon"]', '[Result "1-0"]', 6, "not over"),
        ('[Event "Salon"]', '[Result "1-0"]\n[Reason "line"]', 6, "not over"),
        ('[Event "Salon"]', '[Result "*"]\n[Reason "resigned"]', 6, "not over"),
        ("2. d4", "2. c3", 8, "c3"),
        ("3. b3", "4. b3", 9, "move 3"),
        ("3. b3", "3. b2", 9, "not empty"),
    ],
)
def test_bad_records_are_reported_and_good_ones_kept(
    old: str, new: str, line: int, message: str
) -> None:
    assert old in GOOD
    bad = GOOD.replace(old, new)
    records, problems = record.read(GOOD + "\n" + bad + "\n" + GOOD)
    assert [one.game.text for one in records] == ["b2 d4 b3"] * 2
    (problem,) = problems
    assert problem.line == line + 10
    assert message in problem.message
    assert str(problem).startswith(f"{problem.line}: ")


@pytest.mark.parametrize(
    "text",
    ["1. b2 2. d4 3. b3", "1. b2 d4 2. b3", "1. b2 1... d4 2. b3", "1.b2 d4\n2.b3", "b2 d4 3. b3"],
)
def test_numbers_count_moves_or_pairs(text: str) -> None:
    (read,), problems = record.read(text, default="chefa")
    assert problems == []
    assert [move.text for move in read.game.moves_played] == ["b2", "d4", "b3"]


@pytest.mark.parametrize(
    "text", ["1. b2 3. d4", "1. b2 d4 2. b3 4. d3", "2. b2", "1. b2 d4 2. b3 3. d3", "1... b2"]
)
def test_other_numbers_are_reported(text: str) -> None:
    records, problems = record.read(text, default="chefa")
    assert records == []
    assert len(problems) == 1


def test_a_wrong_result_is_reported() -> None:
    won = "1. a1 2. a2 3. b1 4. b2 5. c1 6. c2 7. d1"
    head = '[Game "chefa"]\n[Result "{}"]\n[Reason "{}"]\n\n'
    assert record.read(head.format("1-0", "line") + won)[1] == []
    assert "rules" in record.read(head.format("0-1", "line") + won)[1][0].message
    assert "rules" in record.read(head.format("1-0", "square") + won)[1][0].message


def test_moves_alone_need_a_game() -> None:
    assert record.read("1. b2 2. d4")[1][0].line == 1
    (one,), problems = record.read("1. b2 2. d4", default="chefa", preset="fair")
    assert not problems
    assert one.game.rules is damier.load_rules("chefa", "fair")
    (one,), _ = record.read("c1", default="chefa", position="w..../b..../...../...../..... w -")
    assert str(one.game.position) == "w..../b..../...../...../..w.. b -"


def test_an_empty_text_has_no_record() -> None:
    assert record.read("") == ([], [])
    assert record.read("\ufeff\n\n") == ([], [])


def test_white_space_in_headers_round_trips() -> None:
    text = '[Game "chefa"]\n[White " Ada  L."]\n[Event "a \u3000 b"]\n\n1. b2\n'
    records, problems = record.read(text)
    assert not problems
    assert (records[0].white, records[0].headers) == ("Ada L.", {"Event": "a b"})
    assert record.read(record.write(records)) == (records, [])
