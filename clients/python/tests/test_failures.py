"""Errors, retries and timeouts against servers that fail."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from threading import Event

import pytest
from conftest import ScriptedServer, cut, reply

import parley as package
from parley import ApiError, Parley, ParleyConnectionError, ParleyError, ParleyTimeoutError

Scripted = Callable[..., ScriptedServer]
AT_ONCE = {"retry-after": "0"}


def test_an_error_has_code_fix_request_id_and_every_invalid_field(parley: Parley) -> None:
    with pytest.raises(ApiError) as caught:
        parley.contacts.create(name="")
    error = caught.value
    assert (error.status, error.code) == (422, "validation_failed")
    assert error.fix and error.request_id
    assert [problem["path"] for problem in error.errors] == ["body.name", "body"]
    assert error.fix in str(error) and error.code in str(error)


def test_an_unknown_credential_is_rejected() -> None:
    with pytest.raises(ApiError, match="unauthenticated"):
        Parley(api_key="wrong").identity.whoami()


def test_the_environment_sets_url_and_key(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = scripted(reply(200, {"ok": True}))
    monkeypatch.setenv("PARLEY_URL", server.url + "/")
    monkeypatch.setenv("PARLEY_API_KEY", "from-the-environment")
    Parley().identity.whoami()
    [request] = server.requests
    assert request.path == "/v1/whoami"
    assert request.headers["authorization"] == "Bearer from-the-environment"
    agent = request.headers["user-agent"]
    assert agent.startswith(f"parley-python/{package.__version__} python/3.")


def test_a_creation_is_retried_with_the_same_idempotency_key(scripted: Scripted) -> None:
    server = scripted(cut, reply(503, {}, AT_ONCE), reply(201, {"id": "x"}))
    assert server.client().contacts.create(name="A")["id"] == "x"
    keys = [request.headers["idempotency-key"] for request in server.requests]
    assert len(keys) == 3 and len(set(keys)) == 1
    assert re.fullmatch(r"[0-9a-f-]{36}", keys[0])


def test_an_idempotency_key_of_the_caller_is_sent(scripted: Scripted) -> None:
    server = scripted(reply(201, {}))
    server.client().contacts.create(name="A", options={"idempotency_key": "mine"})
    assert server.requests[0].headers["idempotency-key"] == "mine"


def test_a_change_is_retried_only_when_it_was_rejected(scripted: Scripted) -> None:
    broken = scripted(cut)
    with pytest.raises(ParleyConnectionError):
        broken.client().contacts.update("x", name="B")
    assert len(broken.requests) == 1
    busy = scripted(reply(429, {}, AT_ONCE), reply(200, {"id": "x"}))
    assert busy.client().contacts.update("x", name="B")["id"] == "x"


def test_the_502_of_a_failed_send_is_final(scripted: Scripted) -> None:
    server = scripted(reply(502, {"code": "email_send_failed", "detail": "email send failed"}))
    with pytest.raises(ApiError) as caught:
        server.client().emails.create(
            to=["a@example.com"], subject="S", body_text="T", recipient_consent=True
        )
    assert (caught.value.status, caught.value.message) == (502, "email send failed")
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [408, 500, 504])
def test_an_unclear_result_is_retried_as_often_as_allowed(scripted: Scripted, status: int) -> None:
    server = scripted(reply(status, {}, AT_ONCE))
    with pytest.raises(ApiError):
        server.client(max_retries=1).identity.whoami()
    assert len(server.requests) == 2


def test_an_error_that_a_retry_cannot_fix_is_not_retried(scripted: Scripted) -> None:
    server = scripted(reply(422, {"code": "validation_failed"}))
    with pytest.raises(ApiError, match="validation_failed"):
        server.client().contacts.create(name="A")
    assert len(server.requests) == 1


def test_the_delay_grows_with_jitter_unless_the_server_names_one() -> None:
    from parley._request import delay_seconds

    lost = ParleyError("lost")
    for attempt in range(4):
        delays = {delay_seconds(lost, attempt) for _ in range(50)}
        assert len(delays) > 1
        assert all(0.25 * 2**attempt <= delay <= 0.5 * 2**attempt for delay in delays)
    assert delay_seconds(ApiError(429, {"retry-after": "7"}, None), 3) == 7


def test_a_server_that_never_responds_runs_into_the_timeout(scripted: Scripted) -> None:
    released = Event()

    def hang(_: BaseHTTPRequestHandler) -> None:
        released.wait(30)

    server = scripted(hang)
    with pytest.raises(ParleyTimeoutError) as caught:
        server.client().identity.whoami(options={"timeout_seconds": 0.05, "max_retries": 0})
    released.set()
    assert isinstance(caught.value, TimeoutError)


def test_a_response_that_is_not_from_parley_is_reported_as_such(scripted: Scripted) -> None:
    server = scripted(reply(404, "<html>"))
    with pytest.raises(ApiError) as caught:
        server.client().identity.whoami()
    assert (caught.value.status, caught.value.code) == (404, "unknown")


def test_an_empty_id_is_refused_before_anything_is_sent(parley: Parley) -> None:
    for wrong in ("", ".", ".."):
        with pytest.raises(ValueError):
            parley.contacts.delete(wrong)


def test_an_id_cannot_leave_its_place_in_the_path(scripted: Scripted) -> None:
    server = scripted(reply(200, {}))
    server.client().contacts.get("../emails?x=1")
    assert server.requests[0].path == "/v1/contacts/..%2Femails%3Fx%3D1"


def test_the_version_is_that_of_the_project() -> None:
    assert package.__version__ == os.environ["TEST_PROJECT_VERSION"]
