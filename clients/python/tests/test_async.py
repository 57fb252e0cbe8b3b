"""The async client: the same promises, and many requests at once."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from conftest import ScriptedServer, cut, reply

from parley import ApiError, AsyncParley, ParleyConnectionError

Scripted = Callable[..., ScriptedServer]


def run(work: Callable[[AsyncParley], Coroutine[Any, Any, None]], **options: Any) -> None:
    async def main() -> None:
        async with AsyncParley(**options) as parley:
            await work(parley)

    asyncio.run(main())


def test_many_requests_run_at_the_same_time() -> None:
    async def work(parley: AsyncParley) -> None:
        made = await asyncio.gather(
            *(
                parley.contacts.create(name=f"Async {i}", email=f"async-{i}@example.com")
                for i in range(12)
            )
        )
        assert len({contact["id"] for contact in made}) == 12
        found = [c["name"] async for c in parley.contacts.list(q="async-", limit=5)]
        assert sorted(found) == sorted(contact["name"] for contact in made)
        page = await parley.contacts.list(q="async-", limit=5)
        assert len(page.items) == 5
        assert [c["name"] async for c in page] == found
        sizes = [
            len(each.items) async for each in parley.contacts.list(q="async-", limit=5).pages()
        ]
        assert sizes == [5, 5, 2]
        await asyncio.gather(*(parley.contacts.delete(contact["id"]) for contact in made))

    run(work)


def test_a_wait_does_not_hold_up_other_requests() -> None:
    async def work(parley: AsyncParley) -> None:
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 1))
        waiting = asyncio.create_task(
            parley.emails.wait(since=since, from_="parallel@example.com", timeout_seconds=30)
        )
        await parley.identity.whoami()
        assert not waiting.done()
        await parley.sandbox_emails.receive(
            from_="parallel@example.com", subject="S", body_text="Your code is 7788"
        )
        assert (await waiting)["code"] == "7788"

    run(work)


def test_a_wait_can_be_canceled(scripted: Scripted) -> None:
    server = scripted(reply(200, {"id": "c1", "status": "ringing"}))

    async def work(parley: AsyncParley) -> None:
        seen = asyncio.Event()
        waiting = asyncio.create_task(parley.calls.wait("c1", on_poll=lambda _: seen.set()))
        await seen.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    run(work, base_url=server.url, api_key="k")


def test_the_stream_delivers_events() -> None:
    async def work(parley: AsyncParley) -> None:
        opened = asyncio.Event()

        async def receive() -> None:
            await opened.wait()
            await parley.sandbox_emails.receive(
                from_="async@example.com", subject="S", body_text="T"
            )

        receiving = asyncio.create_task(receive())
        async for event in parley.events.stream(on_open=opened.set):
            if event["type"] == "email.received":
                assert event["data"]["from_address"] == "async@example.com"
                break
        await receiving

    run(work)


def test_errors_and_retries_are_those_of_the_sync_client(scripted: Scripted) -> None:
    healing = scripted(cut, reply(503, {}, {"retry-after": "0"}), reply(201, {"id": "x"}))
    broken = scripted(cut)
    final = scripted(reply(502, {"code": "email_send_failed"}))

    async def create(parley: AsyncParley) -> None:
        assert (await parley.contacts.create(name="A"))["id"] == "x"

    async def update(parley: AsyncParley) -> None:
        with pytest.raises(ParleyConnectionError):
            await parley.contacts.update("x", name="B")

    async def send(parley: AsyncParley) -> None:
        with pytest.raises(ApiError, match="email_send_failed"):
            await parley.emails.create(
                to=["a@example.com"], subject="S", body_text="T", recipient_consent=True
            )

    run(create, base_url=healing.url)
    run(update, base_url=broken.url)
    run(send, base_url=final.url)
    assert len({request.headers["idempotency-key"] for request in healing.requests}) == 1
    assert (len(healing.requests), len(broken.requests), len(final.requests)) == (3, 1, 1)


def test_any_request_can_be_sent() -> None:
    async def work(parley: AsyncParley) -> None:
        response = await parley.request("GET", "/v1/whoami")
        assert response.json()["organization_id"] == os.environ["TEST_ORGANIZATION_ID"]

    run(work)
