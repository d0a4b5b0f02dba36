"""Fuzzing of the HTTP interface from its schema: no request causes a server error."""

from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from damier.web.app import create_app
from tests.support.fuzzing import FUZZING, FailureRecorder, cases
from tests.web.test_server import started

pytestmark = pytest.mark.slow

schema = schemathesis.openapi.from_dict(create_app().openapi())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server, address = started("--port", "8300")
    with server:
        yield address
        server.terminate()


@schema.parametrize()
@hypothesis.settings(
    max_examples=20 if FUZZING else 40,
    deadline=None,
    derandomize=not FUZZING,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@pytest.mark.filterwarnings("ignore")
def test_no_request_is_a_server_error(case: schemathesis.Case[Any], address: str) -> None:
    if isinstance(case.body, dict):
        seconds = case.body.get("seconds")
        if isinstance(seconds, int | float):
            case.body["seconds"] = min(seconds, 0.02)
    asked = {"method": case.method, "path": case.path, "body": case.body}
    with FailureRecorder("request", {**asked, "parameters": dict(case.path_parameters)}):
        valid(case, address)


def valid(case: schemathesis.Case[Any], address: str) -> None:
    case.call_and_validate(
        base_url=address,
        checks=[
            not_a_server_error,
            response_schema_conformance,
            content_type_conformance,
            status_code_conformance,
        ],
    )


@pytest.mark.parametrize("case", cases("request"), ids=lambda case: str(case)[:60])
@pytest.mark.filterwarnings("ignore")
def test_cases_found_by_fuzzing(case: dict[str, Any], address: str) -> None:
    asked = case["given"]
    body, parameters = asked.get("body"), asked.get("parameters", {})
    # A text that is said so many times, to be short here.
    if isinstance(body, dict) and "times" in asked:
        body = {k: v * asked["times"] if isinstance(v, str) else v for k, v in body.items()}
    operation = schema[asked["path"]][asked["method"]]
    valid(operation.Case(body=body, path_parameters=parameters), address)
