"""The option `on_hold`: what happens when a new message is held for approval."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from conftest import ScriptedServer, reply

from parley import AsyncParley, HeldError, Parley, RequestOptions

Scripted = Callable[..., ScriptedServer]

_HOLD = {"kind": "approval", "approval_id": "a1", "until": "2026-06-07T12:00:00.000Z"}
_HELD = {"id": "e1", "status": "queued", "hold": _HOLD}
_RELEASED = {**_HELD, "hold": None}
_SENT = {**_RELEASED, "status": "sent"}
_PENDING = reply(200, {"id": "a1", "status": "pending"})
_WAIT = ("GET", "/v1/approvals/a1?wait_seconds=25")
_READ = ("GET", "/v1/emails/e1")


def _send(parley: Parley, options: RequestOptions | None = None) -> dict[str, Any]:
    return dict(
        parley.emails.create(
            to=["bob@example.org"], subject="Hi", recipient_consent=True, options=options
        )
    )


def _asked(server: ScriptedServer) -> list[tuple[str, str]]:
    return [(request.method, request.path) for request in server.requests]


def test_a_held_message_is_returned_by_default(scripted: Scripted) -> None:
    server = scripted(reply(201, _HELD))
    assert _send(server.client()) == _HELD
    assert _send(server.client(), {"on_hold": "return"}) == _HELD
    assert len(server.requests) == 2


def test_raise_names_the_approval_and_keeps_the_record(scripted: Scripted) -> None:
    client = scripted(reply(201, _HELD)).client()
    with pytest.raises(HeldError, match="a1 until 2026-06-07") as caught:
        _send(client, {"on_hold": "raise"})
    assert (caught.value.approval_id, caught.value.record) == ("a1", _HELD)


def test_a_callable_gets_the_record_that_waits(scripted: Scripted) -> None:
    seen: list[dict[str, Any]] = []
    client = scripted(reply(201, _HELD)).client()
    assert _send(client, {"on_hold": seen.append}) == _HELD
    assert seen == [_HELD]


@pytest.mark.parametrize("record", [_SENT, {**_HELD, "hold": {**_HOLD, "kind": "schedule"}}])
def test_only_an_approval_counts_as_held(scripted: Scripted, record: dict[str, Any]) -> None:
    server = scripted(reply(201, record))
    assert _send(server.client(), {"on_hold": "raise"}) == record
    assert _send(server.client(), {"on_hold": "wait"}) == record
    assert len(server.requests) == 2


def test_wait_returns_the_message_as_it_is_after_the_decision(scripted: Scripted) -> None:
    server = scripted(
        reply(201, _HELD),
        _PENDING,
        reply(200, _HELD),
        _PENDING,
        reply(200, _RELEASED),
        reply(200, _SENT),
    )
    assert _send(server.client(), {"on_hold": "wait", "idempotency_key": "k"}) == _SENT
    assert _asked(server)[1:] == [_WAIT, _READ, _WAIT, _READ, _READ]
    assert [r.headers.get("idempotency-key") for r in server.requests] == ["k", *[None] * 5]


def test_wait_reads_a_reply_from_its_own_path(scripted: Scripted) -> None:
    canceled = {**_RELEASED, "status": "canceled"}
    server = scripted(reply(201, _HELD), _PENDING, reply(200, canceled))
    answer = server.client().emails.reply(
        "e0", body_text="Hi", recipient_consent=True, options={"on_hold": "wait"}
    )
    assert answer["status"] == "canceled"
    assert _asked(server) == [("POST", "/v1/emails/e0/reply"), _WAIT, _READ]


def test_an_unknown_value_is_refused(scripted: Scripted) -> None:
    unknown: Any = {"on_hold": "throw"}
    with pytest.raises(ValueError, match="'return', 'wait', 'raise' or a callable"):
        _send(scripted(reply(201, _HELD)).client(), unknown)


def test_the_async_client_waits_and_raises(scripted: Scripted) -> None:
    server = scripted(reply(201, _HELD), _PENDING, reply(200, _SENT), reply(201, _HELD))

    async def run() -> None:
        async with AsyncParley(base_url=server.url, api_key="key") as parley:

            async def send(options: RequestOptions) -> dict[str, Any]:
                to = ["bob@example.org"]
                return dict(
                    await parley.emails.create(
                        to=to, subject="Hi", recipient_consent=True, options=options
                    )
                )

            assert await send({"on_hold": "wait"}) == _SENT
            with pytest.raises(HeldError):
                await send({"on_hold": "raise"})

    asyncio.run(run())
