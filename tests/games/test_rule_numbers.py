"""Each numbered rule of the five games: the cases of `data/rules`, compiled and plain."""

from pathlib import Path

import pytest

import damier
from damier import GAMES, DamierError, Game, Position, Result, Rules
from damier import position as position_module
from damier.position import read_options
from tests.support.rule_cases import Case, CaseError, Stage, read_cases

DATA = Path(__file__).parents[1] / "data" / "rules"
CASES = [case for path in sorted(DATA.glob("*.txt")) for case in read_cases(path)]

# How many rules each game has, and why it can end.
NUMBERS = {
    "fraha": ("FR", 10, {"line", "figure", "repetition"}),
    "chefa": ("CH", 8, {"line", "square", "repetition"}),
    "badia": ("BA", 12, {"block", "blocked", "repetition"}),
    "seega": (
        "SE",
        13,
        {"capture", "material", "barrier", "blocked", "stalled", "repetition"},
    ),
    "fanorona": ("FA", 11, {"capture", "blocked", "endgame", "stalled", "repetition"}),
}
# The conventions that all games share have no numbers.
CONVENTIONS = {"Names", "Positions", "Turns", "Results", "Repetition", "Counting"}
GAME_OF = {prefix: game for game, (prefix, _, _) in NUMBERS.items()}


def game_of(case: Case) -> str:
    """Return the game that a case is about."""
    named = GAME_OF.get(case.rule.partition("-")[0])
    said = case.words.get("game", [named])[0]
    assert said is not None, f"{case.place}: say which game"
    assert named in (None, said), f"{case.place}: the rule's number tells the game"
    return said


def options_of(case: Case) -> dict[str, str]:
    """Return the options that a case writes out."""
    return read_options(" ".join(case.words.get("options", [])).split())


def rules_of(case: Case) -> Rules:
    """Return the rules that a case is played by."""
    preset = case.words.get("preset", [None])[0]
    return damier.load_rules(game_of(case), preset, **options_of(case))


@pytest.mark.parametrize("speed", ["plain", "compiled"])
@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}: {case.sentence}" for case in CASES])
def test_case(case: Case, speed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = set(GAMES) if speed == "compiled" else set()
    monkeypatch.setattr(position_module, "_compiled", compiled)
    if "error" in case.words:
        check_refused(case)
        return
    rules, first = rules_of(case), case.stages[0]
    if case.start:
        position = rules.start()
    else:
        position = rules.position(f"{'/'.join(first.rows)} {first.side}")
    game = Game(position)
    for stage in case.stages:
        place = f"{case.place.partition(':')[0]}:{stage.line}"
        for text in stage.played:
            assert text in [move.text for move in game.legal_moves()], f"{place}: {text}"
            game = game.play(text)
        check_stage(game, stage, place)


def check_refused(case: Case) -> None:
    """Check that texts of positions, or else the options, are refused for the reasons given."""
    if "text" not in case.words:
        with pytest.raises(DamierError) as refused:
            rules_of(case)
        assert refused.value.key == case.words["error"][0]
        return
    rules = rules_of(case)
    for text, error in zip(case.words["text"], case.words["error"], strict=True):
        with pytest.raises(DamierError) as refused:
            rules.position(text)
        assert refused.value.key == error, f"{case.place}: {text}: {refused.value}"


def check_stage(game: Game, stage: Stage, place: str) -> None:
    """Check what a stage of a case says of the position reached."""
    position = game.position
    rows, _, side = str(position).partition(" ")
    if stage.rows:
        assert rows == "/".join(stage.rows), place
    if stage.side:
        assert side == stage.side, place
    assert position.rules.position(str(position)) == position, place
    assert judged(position) == position.result(), place
    moves = [move.text for move in game.legal_moves()]
    for key, prefix, value in stage.checks:
        where = f"{place}: {key}"
        some = [text for text in moves if text.startswith(prefix)]
        if key == "result":
            assert said(game.result()) == value, where
        elif key == "turns":
            assert some == ([] if value == "none" else sorted(value.split(" "))), where
        elif key == "count":
            assert len(some) == int(value), where
        elif key == "legal":
            for text in value.split(" "):
                assert text in moves, where
                assert game.parse_move(text) == next(
                    t for t in game.legal_moves() if t.text == text
                ), where
        elif key == "illegal":
            check_illegal(game, value.split(" "), where)
        else:
            for depth, paths in enumerate(value.split(" "), 1):
                assert position.perft(depth) == int(paths), f"{where} {depth}"


def check_illegal(game: Game, words: list[str], place: str) -> None:
    """Check that each of some moves is refused, and for the reason that follows it if any."""
    for k, text in enumerate(words):
        if text.startswith("!"):
            continue
        with pytest.raises(DamierError) as refused:
            game.parse_move(text)
        if k + 1 < len(words) and words[k + 1].startswith("!"):
            assert refused.value.key == words[k + 1][1:], f"{place}: {text}: {refused.value}"


def judged(position: Position) -> Result | None:
    """Return the result that the rules in use, plain or compiled, find for a position."""
    loops = position.rules.loops
    out = loops.buffer(position.rules.module.GROUPS)
    return Result.of(position.rules.module, int(loops.rules.legal(*position.words, out)))


def said(result: Result | None) -> str:
    """Return a result as cases write it."""
    return "none" if result is None else f"{result.winner or 'draw'} {result.reason}"


def test_every_rule_has_a_case() -> None:
    assert set(NUMBERS) == set(GAMES)
    expected = CONVENTIONS | {
        f"{prefix}-{n}" for prefix, most, _ in NUMBERS.values() for n in range(1, most + 1)
    }
    assert {case.rule for case in CASES} == expected


@pytest.mark.parametrize("name", GAMES)
def test_every_option_and_preset_has_a_case(name: str) -> None:
    cases = [case for case in CASES if game_of(case) == name and "error" not in case.words]
    written = {item for case in cases for item in options_of(case).items()}
    for option in GAMES[name].rules.OPTIONS:
        values = {value for key, value in written if key == option.name}
        if option.values:
            assert values == set(option.values), option.name
        else:
            assert "0" in values, option.name
            assert values - {"0", option.default}, option.name
    assert {p for case in cases for p in case.words.get("preset", [])} == set(
        GAMES[name].rules.PRESETS
    )


@pytest.mark.parametrize("name", GAMES)
def test_every_reason_has_a_case(name: str) -> None:
    found = {
        value.split(" ")[1]
        for case in CASES
        if game_of(case) == name
        for stage in case.stages
        for key, _, value in stage.checks
        if key == "result" and value != "none"
    }
    assert found == NUMBERS[name][2]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("start\n", 1),
        ("# CH-1\n", 1),
        ("# CH-1  no position\nresult: none\n", 1),
        ("# CH-1  a board without a side\n| . .\nresult: none\n", 1),
        ("# CH-1  nothing checked\n| . .\nside: w\n", 1),
        ("# CH-1  nothing checked\nstart\n", 1),
        ("# CH-1  nothing checked at the end\nstart\nturns: a1\nplay: b1\n", 1),
        ("# CH-1  an unknown key\nstart\ntruns: a1\n", 3),
        ("# CH-1  no value\nstart\nturns:\n", 3),
        ("# CH-1  no key\nstart\na1\n", 3),
        ("# CH-1  a key twice\nstart\nresult: none\nresult: none\n", 4),
        ("# CH-1  a prefix too many\nstart\nlegal a1: a1-a2\n", 3),
        ("# CH-1  options too late\nstart\nresult: none\noptions: a=b\n", 4),
        ("# CH-1  a start too late\nresult: none\nstart\n", 3),
        ("# CH-1  a refused text without its error\ntext: x w\n", 1),
        ("# CH-1  a refused text with a board\ntext: x w\nerror: y\nstart\nresult: none\n", 1),
    ],
)
def test_mistakes_in_case_files_are_refused(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "wrong.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(CaseError, match=rf"^wrong\.txt:{line}: "):
        read_cases(path)
