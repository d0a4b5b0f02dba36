"""French and English: every text in both, with the same details, and none missing or left over."""

import re
import string
from itertools import chain
from pathlib import Path

import pytest

import damier
from damier import GAMES, lang
from damier.cli import COMMANDS
from damier.games.terms import REASONS
from damier.record import AGREED_REASONS

PACKAGE = Path(damier.__file__).parent
SOURCES = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}


def details(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("game", ["", *GAMES])
def test_both_languages_have_the_same_texts(game: str) -> None:
    english, french = (
        GAMES[game].texts(language) if game else lang.texts(language) for language in ("en", "fr")
    )
    assert english.keys() == french.keys()
    for key, text in english.items():
        assert details(text) == details(french[key]), key
        assert text.strip(), key
        assert french[key].strip(), key


def test_every_error_has_a_text_with_its_details() -> None:
    raised = [
        (key, set(re.findall(r"(\w+)=", arguments)))
        for source in SOURCES.values()
        for key, arguments in re.findall(
            r'DamierError\(\s*"([a-z-]+)"((?:[^()]|\([^()]*\))*)\)', source
        )
    ]
    assert len(raised) > 40
    texts = lang.texts("en")
    for key, given in raised:
        assert f"error.{key}" in texts
        assert details(texts[f"error.{key}"]) <= given | {"text", "turns"}, key


def test_every_key_said_exists() -> None:
    texts = lang.texts("en")
    said = {
        key for source in SOURCES.values() for key in re.findall(r'\bsay\(\s*"([^"{}]+)"', source)
    }
    assert len(said) > 30
    assert said <= texts.keys()


@pytest.mark.parametrize("language", lang.LANGUAGES)
def test_every_game_reason_and_command_has_a_text(language: str) -> None:
    texts = lang.texts(language)
    for folder in GAMES.values():
        own = folder.texts(language)
        for key in ("name", "aim", "about", *(f"reason.{r}" for r in folder.rules.REASONS)):
            assert own[key], f"{folder.name}: {key}"
        for option in folder.rules.OPTIONS:
            assert own[f"option.{option.name}"]
            assert own[f"option.{option.name}.why"]
    for reason in (*REASONS[1:], *AGREED_REASONS):
        assert texts[f"reason.{reason}"]
    for command in COMMANDS:
        assert texts[f"cli.{command}.help"]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "fr_BE"}, "fr"),
        ({"LANGUAGE": "fr:en", "LANG": "C"}, "fr"),
    ],
)
def test_the_language_is_the_environment_s(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    lang.use(None)
    assert lang.language() == expected


def test_french_signs_do_not_stand_alone_at_the_end_of_a_line() -> None:
    own = [folder.texts("fr").items() for folder in GAMES.values()]
    for key, text in chain(lang.texts("fr").items(), *own):
        assert not re.search(r" [:;?!»]|« ", text), f"{key}: a no-break space belongs there"
