"""English and French texts: the same keys and parameters, none missing or unused."""

import re
import string
from itertools import chain
from pathlib import Path

import pytest

import damier
from damier import GAMES, i18n
from damier.cli import COMMANDS
from damier.games.constants import REASONS
from damier.record import AGREED_REASONS

PACKAGE = Path(damier.__file__).parent
SOURCES = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}


def details(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("game", ["", *GAMES])
def test_both_languages_have_the_same_texts(game: str) -> None:
    english, french = (
        GAMES[game].texts(language) if game else i18n.texts(language) for language in ("en", "fr")
    )
    assert english.keys() == french.keys()
    for key, text in english.items():
        assert details(text) == details(french[key]), key
        assert text.strip(), key
        assert french[key].strip(), key


# The plural forms that whole numbers below a million have.
FORMS = {"en": {"one", "other"}, "fr": {"one", "other"}}
# With a count and no noun that follows it.
NO_NOUN = {"web.bar.hand", "results.single", "results.single.open"}


@pytest.mark.parametrize("language", i18n.LANGUAGES)
@pytest.mark.parametrize("game", ["", *GAMES])
def test_counted_texts_have_every_plural_form(game: str, language: str) -> None:
    known = GAMES[game].texts(language) if game else i18n.texts(language)
    counted = {
        key.removesuffix(".other")
        for key, text in known.items()
        if key.endswith(".other") and "{count}" in text
    }
    for key in counted:
        for form in FORMS[language]:
            assert "{count}" in known[f"{key}.{form}"], key
        assert key not in known, f"{key} is there without a form as well"
    for key, text in known.items():
        if "{count}" in text and key.rpartition(".")[0] not in counted | {""}:
            labelled = re.search(r":[ \u00a0]\{count\}", text)
            assert labelled or key in NO_NOUN, f"{key}: which plural form is this?"


# Ordinary spaces where French has no-break ones; `%s` and `%(` are placeholders.
BREAKABLE = re.compile(r"« | [:;?!»]| %(?![s(])|\d \d{3}\b")


@pytest.mark.parametrize("game", ["", *GAMES])
def test_french_punctuation_is_not_broken_over_lines(game: str) -> None:
    known = GAMES[game].texts("fr") if game else i18n.texts("fr")
    for key, text in known.items():
        if not key.startswith("argparse."):
            assert not BREAKABLE.search(text), f"{key}: {text}"


FANORONA_PROMPTS = ("choice", "target", "go-on.may", "go-on.must", "move", "capture")


@pytest.mark.parametrize(("language", "other"), [("en", r"\bcells?\b"), ("fr", r"\bcases?\b")])
def test_fanorona_is_played_on_points(language: str, other: str) -> None:
    """Its lessons, page, texts and prompts use one word for what a pawn stands on."""
    own, shared = GAMES["fanorona"].texts(language), i18n.texts(language)
    prompts = [own.get(f"ask.{key}", shared[f"web.ask.{key}"]) for key in FANORONA_PROMPTS]
    files = [*(PACKAGE / "games" / "fanorona").glob(f"*.{language}.*")]
    assert len(files) == 3
    for text in [*prompts, *(file.read_text("utf-8") for file in files)]:
        assert not re.findall(f"{other}.*", re.sub(r"\{cells?\}", "", text))


def test_plurals() -> None:
    said = {}
    for language in i18n.LANGUAGES:
        with i18n.use_language(language):
            said[language] = [i18n.translate("web.saved.turns", count=n) for n in (0, 1, 2, 21)]
    assert said["en"] == ["0 moves", "1 move", "2 moves", "21 moves"]
    assert said["fr"] == ["0 coup", "1 coup", "2 coups", "21 coups"]


def test_every_error_has_a_text_with_its_details() -> None:
    raised = [
        (key, set(re.findall(r"(\w+)=", arguments)))
        for source in SOURCES.values()
        for key, arguments in re.findall(
            r'DamierError\(\s*"([a-z-]+)"((?:[^()]|\([^()]*\))*)\)', source
        )
    ]
    assert len(raised) > 40
    texts = i18n.texts("en")
    for key, given in raised:
        form = f"error.{key}.other" if f"error.{key}.other" in texts else f"error.{key}"
        assert form in texts
        assert details(texts[form]) <= given | {"text", "turns"}, key


def test_every_key_said_exists() -> None:
    texts = i18n.texts("en")
    said = {
        key
        for source in SOURCES.values()
        for key in re.findall(r'\btranslate\(\s*"([^"{}]+)"', source)
    }
    assert len(said) > 30
    assert said <= texts.keys() | {key.removesuffix(".other") for key in texts}


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_every_game_reason_and_command_has_a_text(language: str) -> None:
    texts = i18n.texts(language)
    for folder in GAMES.values():
        own = folder.texts(language)
        for key in ("name", "aim", *(f"reason.{r}" for r in folder.rules.REASONS)):
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
    i18n.set_language(None)
    assert i18n.language() == expected


def test_french_punctuation_does_not_wrap() -> None:
    own = [folder.texts("fr").items() for folder in GAMES.values()]
    for key, text in chain(i18n.texts("fr").items(), *own):
        assert not re.search(r" [:;?!»]|« ", text), f"{key}: a no-break space belongs there"
