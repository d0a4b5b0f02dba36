"""Dispatcher of requests inside a browser, for a page without a server.

A request is a path and a body, as a server would get them. The answer is the same to the byte.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from damier import i18n
from damier.errors import DamierError
from damier.position import Rules, load_rules
from damier.web.endpoints import ENDPOINTS, Endpoint, answer
from damier.web.responses import Body, encode_json, error_response, malformed_request
from damier.web.validation import Schema, fill_defaults, first_problem

if TYPE_CHECKING:
    from damier.search import Stop

Answer = tuple[int, bytes]


class Dispatcher:
    """Answers requests as a server would.

    `schemas` are the JSON schemas of the request bodies, by endpoint; `max_bytes` limits a body.
    """

    def __init__(self, schemas: Mapping[str, Schema], max_bytes: int) -> None:
        self.schemas, self.max_bytes = schemas, max_bytes

    def answer(self, path: str, text: str | None, language: str, stop: Stop | None) -> Answer:
        """Return the status and the body of the answer to a request.

        `text` is the JSON of a POST request, or None for a GET request.
        """
        with i18n.use_language(language):
            try:
                endpoint, body = self._parse(path, text)
            except DamierError as error:
                status, error_body = error_response(error)
                return status, encode_json(error_body)
        return answer(endpoint.name, body, language, stop)

    def rules_with_kernels(self, path: str, text: str | None) -> Rules | None:
        """Return the rules whose kernels or table a request needs, or None if it needs none."""
        match = _match(path)
        if match is None or not match[0].needs_kernels:
            return None
        try:
            _, body = self._parse(path, text)
            name = body.get("game") or body["name"]
            return load_rules(name, body.get("preset"), **body.get("options", {}))
        except DamierError:
            return None

    def _parse(self, path: str, text: str | None) -> tuple[Endpoint, Body]:
        """Return the endpoint of a request and its complete body, or raise DamierError."""
        if text is not None and len(text.encode(errors="surrogatepass")) > self.max_bytes:
            raise DamierError("too-long", most=self.max_bytes // 1024)
        method = "GET" if text is None else "POST"
        address = f"/api/v1/{path}"[:300]
        match = _match(path)
        if match is None:
            raise DamierError("no-page", path=address)
        endpoint, parameters = match
        if method != endpoint.method:
            raise DamierError("method", method=method, path=address)
        if text is None:
            return endpoint, _validate(_parameter_schema(endpoint), parameters)
        return endpoint, _validate(self.schemas[endpoint.name], json.loads(text))


def _match(path: str) -> tuple[Endpoint, Body] | None:
    """Return the endpoint at a path, and the parameter in the path."""
    endpoint = ENDPOINTS.get(path)
    if endpoint is not None and endpoint.parameter is None:
        return endpoint, {}
    name, _, value = path.rpartition("/")
    endpoint = ENDPOINTS.get(name)
    if endpoint is None or endpoint.parameter is None or not value:
        return None
    return endpoint, {endpoint.parameter.name: value}


def _parameter_schema(endpoint: Endpoint) -> Schema:
    """Return the JSON schema of the parameters in an endpoint's path."""
    if endpoint.parameter is None:
        return {"properties": {}}
    field = {"type": "string", "maxLength": endpoint.parameter.max_length}
    return {"properties": {endpoint.parameter.name: field}}


def _validate(schema: Schema, body: Any) -> Body:
    """Return a body completed with defaults, or raise MalformedRequest."""
    problem = first_problem(schema, body)
    if problem is not None:
        raise malformed_request(problem.location, problem.kind, problem.details)
    return fill_defaults(schema, body)
