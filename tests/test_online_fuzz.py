"""Online play over HTTP fuzzed from its own schema: whatever comes, no answer is a server error."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase

from damier.online.app import create_online_app
from far import Serving
from test_web_fuzz import valid

described = create_online_app("sqlite+aiosqlite:///:memory:").openapi()
described["paths"] = {path: one for path, one in described["paths"].items() if "/online/" in path}
schema = schemathesis.openapi.from_dict(described)


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    serving = Serving(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('fuzz') / 'x.sqlite'}")
    yield serving
    serving.close()


@pytest.fixture(scope="module")
def known(serving: Serving) -> dict[str, str]:
    """A player, and a game that there is."""
    made = serving.made("Ada")
    _, game = serving.ask("games", {"game": "chefa"}, made["secret"])
    return {"player": made["id"], "secret": made["secret"], "game": game["id"]}


@schema.parametrize()
@hypothesis.settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@pytest.mark.filterwarnings("ignore")
def test_no_request_is_a_server_error(
    case: schemathesis.Case[Any], serving: Serving, known: dict[str, str]
) -> None:
    if case.path.endswith("/me/secret"):
        return  # would be another player then
    for name in case.path_parameters or {}:
        if len(str(case.path_parameters)) % 2:
            case.path_parameters[name] = known[name]
    if len(str(case.body)) % 3:
        case.headers["Authorization"] = f"Bearer {known['secret']}"
    valid(case, f"http://127.0.0.1:{serving.port}")


def test_the_database_s_place_is_made(tmp_path: Path) -> None:
    path = tmp_path / "not" / "yet" / "x.sqlite"
    Serving(f"sqlite+aiosqlite:///{path}").close()
    assert path.exists()
