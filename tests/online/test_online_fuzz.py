"""Fuzzing of the online HTTP interface from its schema: no request causes a server error."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase

from damier.online.app import create_online_app
from tests.support.fuzzing import FUZZING, FailureRecorder, cases
from tests.support.online_client import OnlineTestServer
from tests.web.test_web_fuzz import valid

pytestmark = pytest.mark.slow

profile = create_online_app("sqlite+aiosqlite:///:memory:").openapi()
profile["paths"] = {path: one for path, one in profile["paths"].items() if "/online/" in path}
schema = schemathesis.openapi.from_dict(profile)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnlineTestServer]:
    server = OnlineTestServer(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('fuzz') / 'x.sqlite'}")
    yield server
    server.close()


@pytest.fixture(scope="module")
def known(server: OnlineTestServer) -> dict[str, str]:
    """A player, and a game that there is."""
    made = server.create_identity("Ada")
    _, game = server.request("games", {"game": "chefa"}, made["secret"])
    return {"player": made["id"], "secret": made["secret"], "game": game["id"]}


@schema.parametrize()
@hypothesis.settings(
    max_examples=20 if FUZZING else 8,
    deadline=None,
    derandomize=not FUZZING,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@pytest.mark.filterwarnings("ignore")
def test_no_request_is_a_server_error(
    case: schemathesis.Case[Any], server: OnlineTestServer, known: dict[str, str]
) -> None:
    if case.path.endswith("/me/secret") or case.method == "DELETE":
        return  # would be another player then
    for name in case.path_parameters or {}:
        if len(str(case.path_parameters)) % 2:
            case.path_parameters[name] = known[name]
    if len(str(case.body)) % 3:
        case.headers["Authorization"] = f"Bearer {known['secret']}"
    asked = {"method": case.method, "path": case.path, "body": case.body}
    with FailureRecorder("online-request", {**asked, "parameters": dict(case.path_parameters)}):
        valid(case, f"http://127.0.0.1:{server.port}")


@pytest.mark.parametrize("case", cases("online-request"), ids=lambda case: str(case)[:60])
@pytest.mark.filterwarnings("ignore")
def test_what_was_once_found(case: dict[str, Any], server: OnlineTestServer) -> None:
    asked = case["given"]
    operation = schema[asked["path"]][asked["method"]]
    made = operation.Case(body=asked.get("body"), path_parameters=asked.get("parameters", {}))
    valid(made, f"http://127.0.0.1:{server.port}")


def test_the_directory_of_the_database_is_created(tmp_path: Path) -> None:
    path = tmp_path / "not" / "yet" / "x.sqlite"
    OnlineTestServer(f"sqlite+aiosqlite:///{path}").close()
    assert path.exists()
