"""Lessons: every step can be done, every wrong move is wrong, broken lessons are refused."""

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import damier
from damier import GAMES, DamierError, i18n, players, solve
from damier.gameplay import Game
from damier.games import load
from damier.i18n import LANGUAGES
from damier.learning import lessons
from damier.learning.lessons import LessonGoal, LessonStage, LessonStep
from damier.position import Move
from damier.search import analyse
from damier.web.endpoints import answer

STEPS = [(name, step) for name in GAMES for step in lessons.read(name).steps]
STAGES = [(name, step, stage) for name, step in STEPS for stage in step.stages]
MAX_TEXT_LENGTH = 190  # in characters: three lines beside the board
# Where the rules themselves leave nothing else to do: who can capture must.
FORCED = {("seega", key) for key in ("capture", "first", "chain", "bait")}
EXAMPLE = Path(__file__).parents[2] / "examples" / "tapatan"


def named(value: object) -> str:
    return str(
        value.key if isinstance(value, LessonStep) else value if isinstance(value, str) else ""
    )


@pytest.mark.parametrize("name", GAMES)
def test_a_lesson_is_short_and_ends_with_a_gentle_game(name: str) -> None:
    found = lessons.read(name)
    assert 8 <= len(found.steps) <= 12
    assert lessons.count(name) == len(found.steps)
    assert [step.against for step in found.steps[:-1]] == [None] * (len(found.steps) - 1)
    assert found.steps[-1].against == 1
    assert set(found.words) == set(LANGUAGES)


@pytest.mark.parametrize(("name", "step", "stage"), STAGES, ids=named)
def test_tasks_can_be_solved_and_missed(name: str, step: LessonStep, stage: LessonStage) -> None:
    legal, right = stage.position.legal_moves(), stage.right
    assert stage.shown in legal
    assert stage.is_right(stage.shown)
    assert right
    for move in right:  # no lesson asks for a losing move
        result = move.after.result()
        assert result is None or result.winner == stage.position.side, move
    wrong = [move for move in legal if move not in right]
    if not wrong:
        assert stage.goal == LessonGoal(any=True) or (name, step.key) in FORCED
    for kind in stage.wrong:
        assert any(stage.wrong_name(move) == kind for move in wrong), kind
    for origin, target in stage.refused:
        assert Game(stage.position).why_not(target, origin) is not None


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_are_short_and_name_existing_cells(name: str, language: str) -> None:
    words, board = lessons.read(name).words[language], damier.load_rules(name).board
    for key, text in words.items():
        assert len(text) <= (40 if key.endswith(".title") else MAX_TEXT_LENGTH), key
        assert text[0].isupper(), key
        assert (text[-1] in ".!?") != key.endswith(".title"), key
        for cell in re.findall(r"\b[a-z]\d\b", text):
            assert cell in board.indices, key
        if language == "fr":
            assert not re.search(r"[ \w][:;?!»]|« ", text), key
    assert {k: v for k, v in words.items() if "'" in v} == {}
    ours, theirs = (lessons.read(name).words[one] for one in LANGUAGES)
    assert ours.keys() == theirs.keys()  # what may be left out is there in both or in neither


SEARCHED = 60_000  # nodes, where no table contains the position
TOLERANCE = 0.15  # difference of winning chance that such a search cannot be trusted with


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "step", "stage"), [row for row in STAGES if row[1].against is None], ids=named
)
def test_an_expected_move_never_gives_up_value(
    name: str, step: LessonStep, stage: LessonStage
) -> None:
    """No start is lost, the hint keeps the value, and so does every move that is called right.

    Where any move is right and only a search knows better, only the hint is compared.
    """
    game = Game(stage.position)
    known = dict(solve.probe_moves(game))
    if len(known) == len(game.legal_moves()):
        best = min(known.values(), key=lambda value: value.rank)
        assert best.outcome != "loss"
        assert {move.text for move in stage.right if known[move].outcome != best.outcome} == set()
        return
    valued = {value.move.words: value for value in analyse(game, nodes=SEARCHED).moves}
    top = next(iter(valued.values()))
    assert top.outcome != "loss"
    assert top.chance > TOLERANCE
    expected = [stage.shown] if stage.goal.any else stage.right
    for move in expected:
        assert valued[move.words].chance > top.chance - TOLERANCE, move
        assert valued[move.words].outcome != "loss", move


@pytest.mark.parametrize("name", GAMES)
def test_no_move_needs_more_clicks_than_were_taught(name: str) -> None:
    taught = 0
    for step in lessons.read(name).steps:
        for stage in step.stages:
            taught = max(taught, actions(stage.shown))
            moves = stage.position.legal_moves()
            assert max(actions(move) for move in moves) <= taught, step.key


def actions(move: Move) -> int:
    """Return how many cells a player chooses after the first one."""
    return sum(step.kind != "stop" for step in move.described)


# Steps that teach an idea: exactly what they call right is what a table, or a search, finds.
BY_TABLE = {
    ("fraha", "plan", 0),
    ("fraha", "plan", 1),
    ("chefa", "parry", 0),
    ("chefa", "fourth", 0),
    ("chefa", "fourth", 1),
    ("badia", "break", 0),
    ("badia", "plan", 0),
    ("badia", "plan", 1),
}


@pytest.mark.parametrize(("name", "key", "number"), sorted(BY_TABLE))
def test_ideas_agree_with_the_table(name: str, key: str, number: int) -> None:
    (step,) = (step for step in lessons.read(name).steps if step.key == key)
    stage = step.stages[number]
    valued = solve.probe_moves(Game(stage.position))
    best = min(value.rank for _, value in valued)
    kept = {move.text for move, value in valued if value.rank == best}
    if valued[0][1].outcome == "draw":  # all that draw are as good
        kept = {move.text for move, value in valued if value.outcome == "draw"}
    assert kept == {move.text for move in stage.right}


@pytest.mark.parametrize(
    ("name", "key", "margin"), [("seega", "bait", 0.3), ("fanorona", "hunt", 0.3)]
)
def test_ideas_agree_with_the_search(name: str, key: str, margin: float) -> None:
    (step,) = (step for step in lessons.read(name).steps if step.key == key)
    (only,) = step.stages[0].right
    best, second = analyse(Game(step.position), nodes=30_000).moves[:2]
    assert best.move == only
    assert best.chance - second.chance > margin


def test_the_greatest_capture_loses_where_the_lesson_says_so() -> None:
    (step,) = (step for step in lessons.read("fanorona").steps if step.key == "greed")
    stage = step.stages[0]
    valued = {v.move.text: v for v in analyse(Game(stage.position), nodes=60_000).moves}
    most = [text for text in valued if stage.wrong_name(stage.position.parse_move(text)) == "most"]
    assert [valued[text].outcome for text in most] == ["loss"]
    assert valued[stage.right[0].text].chance > 0.5


def test_no_pawn_returns_from_a_corner() -> None:
    """Exile works because a pawn in a corner of the board cannot move."""
    (step,) = (step for step in lessons.read("fraha").steps if step.key == "exile")
    for move in step.stages[0].right:
        (corner,) = (s.target for s in move.described if s.kind == "put")
        assert all(not reply.text.startswith(f"{corner}-") for reply in move.after.legal_moves())
    for text in step.stages[0].wrong["gift"].turn:
        result = step.position.parse_move(text).after.result()
        assert result is not None
        assert result.winner == "b"


@pytest.mark.parametrize("name", GAMES)
def test_the_last_game_can_be_won(name: str) -> None:
    start = lessons.read(name).steps[-1].position
    value = solve.probe(start)
    if value is not None:
        assert (value.outcome, value.distance in range(3, 8)) == ("win", True)
        return
    wins = 0
    for seed in range(4):
        game = Game(start)
        both = {"w": players.player("level:3", seed), "b": players.player("level:1", seed)}
        while not game.over:
            game = game.play(both[game.position.side].choose(game))
        result = game.result()
        wins += result is not None and result.winner == start.side
    assert wins >= 3


def test_a_move_is_judged_and_replied_to() -> None:
    found = lessons.read("chefa")
    step = next(k for k, one in enumerate(found.steps) if one.key == "fourth")
    assert found.judge(step, 0, "c2") == lessons.LessonVerdict(True, "fourth.then.1", "c1")
    assert found.judge(step, 0, "c1") == lessons.LessonVerdict(False, "fourth.wrong.answered")
    assert found.judge(step, 0, "a5") == lessons.LessonVerdict(False, "fourth.wrong")
    assert found.judge(step, 1, "b1=c1") == lessons.LessonVerdict(True, "fourth.done")
    with pytest.raises(DamierError):
        found.judge(step, 1, "b1-c1")  # not legal
    for step_number, stage in ((99, 0), (step, 2)):
        with pytest.raises(DamierError) as caught:
            found.judge(step_number, stage, "c2")
        assert caught.value.key == "no-lesson"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_receives_everything(language: str) -> None:
    status, body = answer("lessons", {"game": "chefa"}, language, None)
    steps = json.loads(body)["steps"]
    assert status == 200
    words = lessons.read("chefa").words[language]
    assert [step["title"] for step in steps][:2] == [words["line.title"], words["square.title"]]
    (fourth,) = (step for step in steps if step["key"] == "fourth")
    assert [stage["text"] for stage in fourth["stages"]] == [
        words["fourth.do"],
        words["fourth.then.1"],
    ]
    assert fourth["stages"][1]["shown"][0]["kind"] == "swap"
    (placing,) = (step for step in steps if step["key"] == "place")
    (middle,) = placing["stages"][0]["refused"]
    assert middle == {"origin": None, "target": "c3", "text": words["place.wrong.middle"]}
    tried = {"game": "chefa", "step": steps.index(fourth), "stage": 0, "turn": "c2"}
    status, body = answer("lessons/try", tried, language, None)
    judged = json.loads(body)
    assert (judged["met"], judged["reply"]) == (True, "c1")
    assert judged["state"]["position"] == fourth["stages"][1]["position"]


def test_a_game_without_lessons_has_none(own_registry: None) -> None:
    load(EXAMPLE)
    assert lessons.count("tapatan") == 0
    status, body = answer("lessons", {"game": "tapatan"}, "en", None)
    assert (status, json.loads(body)["error"]["key"]) == (404, "no-lessons")


STEP = {"key": "one", "position": "bw.w./..ww./...../..b.b/b.... w -", "goal": {"win": True}}
ANY = {"any": True}
WORDS = {"one.title": "Title", "one.do": "Do.", "one.done": "Done."}


def test_a_whole_lesson_is_read() -> None:
    found = lessons.parse("chefa", {"steps": [STEP]}, {"en": WORDS})
    assert found.steps[0].stages[0].shown.text == "b5-c5"
    assert found.said("one.do", "fr") == "Do."  # in the language that there is
    assert found.said("one.wrong", "en") == ""


BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("lesson-field", {"key": "One"}),
    ("lesson-field", {"key": 3}),
    ("lesson-field", {"gaol": {"win": True}}),
    ("lesson-field", {"goal": None}),
    ("lesson-field", {"goal": {}}),
    ("lesson-field", {"goal": {"winning": True}}),
    ("lesson-field", {"goal": {"takes": "2"}}),
    ("lesson-field", {"goal": {"to": "c5"}}),
    ("lesson-field", {"against": 99}),
    ("lesson-field", {"against": 1, "goal": {"takes": 1}}),
    ("lesson-field", {"then": [{"goal": {"win": True}}]}),
    ("lesson-field", {"then": ["b5-c5"]}),
    ("lesson-field", {"refused": {"middle": "b5>c3"}}),
    ("lesson-says", {"position": "bw.w. w -"}),
    ("lesson-says", {"position": "b.ww./..ww./...../..b.b/b.... b -"}),  # it is over
    ("lesson-says", {"goal": {"to": ["z9"]}}),
    ("lesson-says", {"goal": {"turn": ["b5-e1"]}}),
    ("lesson-says", {"goal": {"turn": ["b5-b4"]}, "then": [{"reply": "z1", "goal": ANY}]}),
    ("lesson-says", {"refused": {"off": ["b5>z9"]}}),
    ("lesson-no-way", {"goal": {"takes": 1}}),
    ("lesson-show", {"show": "b5-b4"}),
    ("lesson-not-wrong", {"wrong": {"winning": {"turn": ["b5-c5"]}}}),
    ("lesson-not-wrong", {"wrong": {"taking": {"takes": 3}}}),
    ("lesson-allowed", {"refused": {"step": ["b5>b4"]}}),
    ("lesson-several", {"goal": {"kind": "move"}, "then": [{"reply": "c2-c1", "goal": ANY}]}),
]


@pytest.mark.parametrize(("key", "change"), BROKEN)
def test_a_broken_step_is_refused_by_name(key: str, change: dict[str, Any]) -> None:
    raw = {"steps": [{k: v for k, v in (deepcopy(STEP) | change).items() if v is not None}]}
    with pytest.raises(DamierError) as caught:
        lessons.parse("chefa", raw, {"en": WORDS})
    assert caught.value.key == key
    for language in LANGUAGES:
        with i18n.use_language(language):
            assert "lessons.json" in str(caught.value)
            assert "⟨" not in str(caught.value)
    if "key" not in change:
        assert "lessons.json: one" in str(caught.value)


@pytest.mark.parametrize("raw", [{}, {"steps": []}, {"steps": {}}, {"steps": [STEP], "more": 1}])
def test_invalid_lists_of_steps_are_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(DamierError) as caught:
        lessons.parse("chefa", raw, {"en": WORDS})
    assert caught.value.key == "lesson-field"


@pytest.mark.parametrize(
    ("key", "words", "names"),
    [
        ("lesson-words", {}, "lessons.en.json"),
        ("lesson-words", {"fr": {"one.title": "Titre", "one.do": ""}}, "one.do, one.done"),
        ("lesson-unused", {"en": WORDS | {"two.do": "Do."}}, "two.do"),
    ],
)
def test_texts_are_complete_and_all_used(
    key: str, words: dict[str, dict[str, str]], names: str
) -> None:
    with pytest.raises(DamierError) as caught:
        lessons.parse("chefa", {"steps": [STEP]}, words)
    assert (caught.value.key, caught.value.details["names"]) == (key, names)


def test_two_steps_of_one_name_are_refused() -> None:
    with pytest.raises(DamierError):
        lessons.parse("chefa", {"steps": [STEP, STEP]}, {"en": WORDS})
