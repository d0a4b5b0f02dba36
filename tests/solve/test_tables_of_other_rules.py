"""Tables of other rules: never overwritten, never used."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import damier
from damier import GAMES, Game, games, position, solve
from damier.cli import main
from damier.errors import DamierError
from damier.position import Rules
from damier.search.analysis import analyse
from damier.solve import retrograde, tables

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).parents[1] / "data" / "games" / "threes.py"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data directory without tables; games loaded here are forgotten at the end."""
    monkeypatch.setenv("DAMIER_DATA_DIR", str(tmp_path / "data"))
    before = dict(GAMES._loaded)
    tables.clear_table_cache()
    yield tmp_path / "data"
    GAMES._loaded.clear()
    GAMES._loaded.update(before)
    tables.clear_table_cache()


def written(directory: Path, old: str = "", new: str = "") -> Path:
    """Return the path of a copy of a game of the same name, with a part of its rules replaced."""
    text = SOURCE.read_text("utf-8")
    assert old in text
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "game.py"
    path.write_text(text.replace(old, new) if old else text, "utf-8")
    return path


def forget() -> None:
    """Forget the game, as at the start of a new process."""
    GAMES._loaded.pop("threes", None)
    tables.clear_table_cache()
    for key in [key for key in position._rules_in_use if key[0] == "threes"]:
        del position._rules_in_use[key]
    position._rules.cache_clear()


def loaded(path: Path) -> Rules:
    """Return the default rules of a game at a path, as a new process would load them."""
    forget()
    games.load(path)
    return damier.load_rules("threes")


def other_rules(directory: Path) -> Path:
    return written(directory, "range(6 if r & 4 else 8)", "range(6)")


def test_games_of_one_name_have_tables_side_by_side(
    tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = written(tmp_path / "one"), other_rules(tmp_path / "other")
    loaded(one)
    assert main(["solve", str(one)]) == 0
    (first,) = (data / "tables").glob("*.table")
    content = first.read_bytes()
    rules = loaded(other)
    assert solve.probe(rules.start()) is None
    assert analyse(Game(rules), nodes=200).moves[0].distance is None
    assert main(["probe", str(other)]) == 2
    said = capsys.readouterr().err
    assert "other rules" in said
    assert str(first) in said
    assert main(["solve", str(other)]) == 0
    assert first.read_bytes() == content
    assert len(list((data / "tables").glob("*.table"))) == 2
    found = solve.probe(rules.start())
    assert found is not None
    assert found != solve.probe(loaded(one).start())
    assert tables.portable_tables(GAMES["threes"]) == {"threes.table": first}


def test_a_table_of_other_rules_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = written(tmp_path / "one"), other_rules(tmp_path / "other")
    path = tmp_path / "some.table"
    loaded(one)
    assert main(["solve", str(one), "--output", str(path)]) == 0
    content = path.read_bytes()
    assert main(["solve", str(one), "--output", str(path)]) == 0
    for words in ([str(other)], [str(one), "--option", "lines=straight"], ["fraha"]):
        if words[0] == str(other):
            loaded(other)
        elif words[0] == str(one):
            loaded(one)
        assert main(["solve", *words, "--output", str(path)]) == 2
        assert "table of other rules" in capsys.readouterr().err
        assert path.read_bytes() == content
    text = tmp_path / "notes.txt"
    text.write_text("mine", "utf-8")
    assert main(["solve", str(one), "--output", str(text)]) == 2
    assert text.read_text("utf-8") == "mine"
    assert "not a table" in capsys.readouterr().err
    path.write_bytes(content[:-5])  # a damaged table of the same rules is replaced
    assert main(["solve", str(one), "--output", str(path)]) == 0
    assert path.read_bytes() == content


def test_the_digest_is_that_of_the_rules_that_were_loaded(tmp_path: Path) -> None:
    path = written(tmp_path)
    rules = loaded(path)
    digest = rules.folder.digest
    other_rules(tmp_path)
    assert rules.folder.digest == digest
    assert loaded(path).folder.digest != digest


def test_a_custom_game_with_a_numbering_has_a_digest_too(tmp_path: Path) -> None:
    """Its version number alone does not tell two games apart."""
    folder = tmp_path / "threes"
    folder.mkdir()
    (folder / "rules.py").write_text(SOURCE.read_text("utf-8"), "utf-8")
    (folder / "numbering.py").write_text(
        "from damier.solve.numbering.enumerated import *  # noqa: F403\n", "utf-8"
    )
    rules = loaded(folder)
    assert rules.folder.numbering is not None
    header = tables.header_of(rules, {})
    assert str(header["rules"]).endswith(rules.folder.digest)


def test_bundled_games_keep_their_version_and_file_names() -> None:
    rules = damier.load_rules("fraha")
    assert tables.header_of(rules, {})["rules"] == rules.folder.numbering.VERSION  # type: ignore[union-attr]
    assert tables.built_path(rules).name == "fraha.table"
    assert tables.other_tables(rules) == []


def test_endings_of_other_options_are_not_candidates(data: Path) -> None:
    rules = damier.load_rules("fanorona")
    for name in ("fanorona_board=3x5_5-pawns.table", "fanorona_5-pawns.table"):
        (data / "tables").mkdir(parents=True, exist_ok=True)
        (data / "tables" / name).write_bytes(b"")
    assert [path.name for path in tables.candidates(rules)] == ["fanorona_5-pawns.table"]


def test_a_table_of_other_rules_is_refused(tmp_path: Path) -> None:
    rules = loaded(written(tmp_path / "one"))
    path = tmp_path / "one.table"
    tables.write(path, retrograde.content(retrograde.solve(rules)))
    assert tables.Table.open(path, rules).probe(rules.start()) is not None
    with pytest.raises(DamierError, match="another version"):
        tables.Table.open(path, loaded(other_rules(tmp_path / "other")))


def test_a_resumed_game_is_found_where_it_was_played(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, record = written(tmp_path / "one"), tmp_path / "record.txt"

    def played(*words: str, lines: str) -> tuple[int, str, str]:
        forget()
        answers = iter([*lines.splitlines(), "quit"])
        monkeypatch.setattr("damier.cli.play.prompt_line", lambda *_: next(answers))
        status = main(["play", *words])
        return status, *capsys.readouterr()

    status, _, err = played(str(path), "--two", lines=f"b2\nsave {record}")
    assert (status, err) == (0, "")
    assert json.loads((data / "game-paths.json").read_text("utf-8")) == {"threes": str(path)}
    assert str(path) not in record.read_text("utf-8")
    for words in (["--resume"], ["--resume", str(record)]):
        status, out, err = played(*words, "--two", lines="a1")
        assert (status, err) == (0, "")
        assert "White" in out
    moved = path.rename(tmp_path / "moved.py")
    status, _, err = played("--resume", lines="")
    assert status == 2
    assert str(path) in err
    assert played(str(moved), "--resume", lines="")[0] == 0
    assert played("--resume", lines="")[0] == 0
