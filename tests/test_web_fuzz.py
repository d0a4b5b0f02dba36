"""The HTTP interface fuzzed from its own schema: whatever comes, no answer is a server error."""

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
from test_web_server import started

schema = schemathesis.openapi.from_dict(create_app().openapi())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server, address = started("--port", "8300")
    with server:
        yield address
        server.terminate()


@schema.parametrize()
@hypothesis.settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@pytest.mark.filterwarnings("ignore")
def test_no_request_is_a_server_error(case: schemathesis.Case[Any], address: str) -> None:
    if isinstance(case.body, dict):
        seconds = case.body.get("seconds")
        if isinstance(seconds, int | float):
            case.body["seconds"] = min(seconds, 0.02)
    case.call_and_validate(
        base_url=address,
        checks=[
            not_a_server_error,
            response_schema_conformance,
            content_type_conformance,
            status_code_conformance,
        ],
    )
