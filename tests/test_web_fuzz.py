"""The HTTP interface fuzzed from its own schema: whatever comes, no answer is a server error."""

from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from damier.web.app import create_app

app = create_app(workers=1, waiting=4)
schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)


@schema.parametrize()
@hypothesis.settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@pytest.mark.filterwarnings("ignore")
def test_no_request_is_a_server_error(case: schemathesis.Case[Any]) -> None:
    if isinstance(case.body, dict):
        seconds = case.body.get("seconds")
        if isinstance(seconds, int | float):
            case.body["seconds"] = min(seconds, 0.02)
    case.call_and_validate(
        checks=[not_a_server_error, response_schema_conformance, content_type_conformance]
    )
