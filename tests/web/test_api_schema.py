"""HTTP interface: schema, texts, page files and common response headers."""

import gzip
import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import damier
from damier.games import GAMES
from damier.i18n import texts
from damier.web.app import STATIC, preferred_language
from tests.support.http_client import post


def test_the_documented_request_is_answered(client: TestClient) -> None:
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text("utf-8")
    asked = re.findall(r"localhost:8000/api/v1/(\S+) .*?-d '(.*?)'", page, re.DOTALL)
    assert asked
    for path, body in asked:
        post(client, path, **json.loads(body))


def test_every_answer_and_field_is_described(client: TestClient) -> None:
    schema = client.get("/api/v1/openapi.json").json()
    for path, methods in schema["paths"].items():
        for asked in methods.values():
            assert asked["description"], path
    for name in (
        "GameRequest",
        "EngineMoveRequest",
        "AnalysisRequest",
        "ProbeRequest",
        "StateRequest",
    ):
        for field, described in schema["components"]["schemas"][name]["properties"].items():
            assert "description" in described or "examples" in described, (name, field)


def test_languages(client: TestClient) -> None:
    for wanted, word in (("fr-FR,fr;q=0.9,en;q=0.5", "jeu"), ("en", "game")):
        answer = client.post(
            "/api/v1/state", json={"game": "go"}, headers={"Accept-Language": wanted}
        )
        assert word in answer.json()["error"]["message"]
    assert [preferred_language(t) for t in ("", "de", "de,fr;q=0.3", "en;q=0.1,fr", "fr;q=x")] == [
        "en",
        "en",
        "fr",
        "fr",
        "en",
    ]


def test_the_page_has_every_text_in_both_languages() -> None:
    english, french = (texts(name) for name in ("en", "fr"))
    assert set(english) == set(french)
    for key in english:
        fields = [sorted(set(_fields(t[key]))) for t in (english, french)]
        assert fields[0] == fields[1], key


def _fields(text: str) -> list[str]:
    return [part.split("}")[0] for part in text.split("{")[1:]]


def test_every_text_that_the_page_names_exists() -> None:
    """Keys written out in the page's modules; those put together are met in the browser."""
    known = texts("en")
    said = 0
    for path in STATIC.rglob("*.js"):
        for key in re.findall(r"\bt\(\s*'([a-z][\w.-]*)'", path.read_text("utf-8")):
            said += 1
            assert {f"web.{key}", f"web.{key}.other"} & known.keys(), (path.name, key)
    assert said > 150


@pytest.mark.parametrize("name", GAMES)
def test_every_option_field_and_place_has_a_text(client: TestClient, name: str) -> None:
    served = client.get("/api/v1/texts/en").json()
    module = GAMES[name].rules
    known = {key.removeprefix(f"game.{name}.") for key in served if key.startswith(f"game.{name}.")}
    for option in module.OPTIONS:
        assert f"option.{option.name}" in known
        assert f"option.{option.name}.why" in known
        for value in option.values:
            assert option.name == "board" or f"option.{option.name}.{value}" in known
    if len(module.PRESETS) > 1:
        assert all(f"preset.{preset}" in known for preset in module.PRESETS)
    for field in module.FIELDS:
        assert f"field.{field}" in known
        for value in {"state": "sp-", "drop": "-dD"}.get(field, ""):
            assert f"field.{field}.{value}" in known
    for place in damier.load_rules(name).board.places:
        assert f"place.{place}" in known or f"place.{place}" in served


def test_every_answer_has_a_strict_policy(client: TestClient) -> None:
    for answer in (client.get("/"), client.get("/api/v1/games"), client.get("/nothing")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def loaded_at_once() -> set[Path]:
    """Return what a browser loads to show the page: not what is fetched when it is asked for."""
    found: set[Path] = set()
    index = (STATIC / "index.html").read_text("utf-8")
    waiting = {"index.html", *re.findall(r'"\./static/([^"]+)"', index)}
    while waiting:
        path = STATIC / waiting.pop()
        found.add(path)
        if path.suffix == ".js":
            text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"))
            named = {
                (path.parent / name).resolve() for name in re.findall(r"from '(\.[^']+)'", text)
            }
            waiting |= {name.relative_to(STATIC).as_posix() for name in named - found}
    return found


def download_size(paths: Iterable[Path]) -> int:
    """Return the bytes of files as they are sent: compressed one by one, pictures excluded."""
    return sum(len(gzip.compress(path.read_bytes())) for path in paths if path.suffix != ".png")


def test_the_page_is_small_and_asks_no_other_host(client: TestClient) -> None:
    files = [path for path in STATIC.rglob("*") if path.is_file() and path.suffix != ".png"]
    at_once = loaded_at_once()
    assert {"main.js", "board.js", "style.css"} <= {path.name for path in at_once}
    assert download_size(at_once) < 85_000
    assert download_size(files) < 260_000
    for path in files:
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text
        assert "https://" not in text
        assert "innerHTML" not in text
        name = (
            "/" if path.name == "index.html" else f"/static/{path.relative_to(STATIC).as_posix()}"
        )
        answer = client.get(name)
        assert answer.status_code == 200
        again = client.get(name, headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304
    index = (STATIC / "index.html").read_text("utf-8")
    assert "<script>" not in index
    assert "style=" not in index


def _classes(scripts: list[Path]) -> set[str]:
    """Return the classes that scripts give to what they make."""
    text = "".join(path.read_text("utf-8") for path in scripts)
    given = re.findall(r"(?:class|cls): ?['`]([^'`]*)|classList\.\w+\('([^']*)'", text)
    return {name for pair in given for name in " ".join(pair).split()}


@pytest.mark.parametrize(
    ("sheet", "scripts"),
    [
        ("lesson", "learn/lesson.js"),
        ("mistakes", "study/mistake-review.js"),
        ("online", "online/*.js"),
        ("statistics", "learn/statistics-page.js"),
        ("train", "train/*.js"),
    ],
)
def test_a_style_sheet_that_comes_late_styles_its_own_page_alone(sheet: str, scripts: str) -> None:
    """It stays when another page is shown: each of its rules begins with what only its page has."""
    path = STATIC / "css" / f"{sheet}.css"
    assert path not in loaded_at_once()
    own = list(STATIC.glob(scripts))
    assert own
    elsewhere = _classes([script for script in STATIC.rglob("*.js") if script not in own])
    text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
    selectors = [
        one.strip()
        for rule in re.findall(r"([^{}]+)\{", text)
        if not rule.strip().startswith(("@", "from"))
        for one in re.split(r",(?![^()]*\))", rule)
    ]
    assert len(selectors) > 10
    for selector in selectors:
        first = re.split(r"[\s>+~]", selector)[0]
        assert set(re.findall(r"\.([\w-]+)", first)) - elsewhere, selector


def test_no_line_of_the_page_is_too_long() -> None:
    for path in [*STATIC.rglob("*.js"), *STATIC.rglob("*.css")]:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            assert len(line) <= 110, (path.name, number)


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", GAMES)
def test_rules_pages(client: TestClient, name: str, language: str) -> None:
    answer = client.get(f"/api/v1/rules/{name}", headers={"Accept-Language": language})
    page = answer.json()
    assert [s["key"] for s in page["sections"]][:3] == ["aim", "board", "turn"]
    diagrams = [p for s in page["sections"] for p in s["parts"] if not isinstance(p, str)]
    assert diagrams
    for diagram in diagrams:
        post(client, "state", game=name, options=diagram["options"], start=diagram["position"])


def test_health(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"ok": True, "version": damier.__version__}


def test_every_file_of_the_page_is_named_in_the_package() -> None:
    assert (Path(damier.__file__).parent / "web" / "static" / "main.js").is_file()
