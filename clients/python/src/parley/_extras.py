"""Methods that are more than one request: waits, the event stream, and webhook signatures."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from parley._event_stream import follow_events, follow_events_async
from parley._request import UNSET, RequestOptions, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.events import AnyEvent
from parley.records import Call, Wait, WaitCondition
from parley.webhook_signature import (
    TOLERANCE_SECONDS,
    WebhookHeaders,
    sign_webhook,
    verify_webhook,
)

# Shorter than common timeouts of proxies.
_SLICE_SECONDS = 25
_FINAL = frozenset({"completed", "failed", "busy", "no_answer", "canceled"})


class _Deadline:
    def __init__(self, max_wait_seconds: float | None) -> None:
        self._end = math.inf if max_wait_seconds is None else time.monotonic() + max_wait_seconds

    def slice(self) -> int:
        left = self._end - time.monotonic()
        return max(1, min(_SLICE_SECONDS, math.ceil(left))) if left < math.inf else _SLICE_SECONDS

    def is_over(self) -> bool:
        return time.monotonic() >= self._end


def _call_query(deadline: _Deadline, wait_for: str) -> dict[str, Any]:
    query: dict[str, Any] = {"wait_seconds": deadline.slice()}
    return query if wait_for == "end" else {**query, "wait_for": wait_for}


def _is_over(call: Call, wait_for: str) -> bool:
    is_settled = wait_for == "end" or call["result_status"] != "pending"
    return call["status"] in _FINAL and is_settled


class CallExtras:
    """Waits for calls."""

    _transport: Transport

    def wait(
        self,
        call_id: str,
        *,
        max_wait_seconds: float | None = None,
        wait_for: Literal["end", "result"] = "end",
        on_poll: Callable[[Call], None] | None = None,
        options: RequestOptions | None = None,
    ) -> Call:
        """Waits until the call is over. Returns its current state when the time is up.

        Args:
            max_wait_seconds: Maximum time to wait. Default: until the call is over.
            wait_for: "result": also until summary and result are settled, some seconds after the end.
            on_poll: Called with every intermediate state of the record.
        """
        deadline = _Deadline(max_wait_seconds)
        while True:
            query = _call_query(deadline, wait_for)
            path = f"/v1/calls/{segment(call_id)}"
            call: Call = self._transport.json("GET", path, query=query, options=options)
            if _is_over(call, wait_for) or deadline.is_over():
                return call
            if on_poll is not None:
                on_poll(call)


class AsyncCallExtras:
    """Waits for calls."""

    _transport: AsyncTransport

    async def wait(
        self,
        call_id: str,
        *,
        max_wait_seconds: float | None = None,
        wait_for: Literal["end", "result"] = "end",
        on_poll: Callable[[Call], None] | None = None,
        options: RequestOptions | None = None,
    ) -> Call:
        """Waits until the call is over. Returns its current state when the time is up.

        Args:
            max_wait_seconds: Maximum time to wait. Default: until the call is over.
            wait_for: "result": also until summary and result are settled, some seconds after the end.
            on_poll: Called with every intermediate state of the record.
        """
        deadline = _Deadline(max_wait_seconds)
        while True:
            query = _call_query(deadline, wait_for)
            path = f"/v1/calls/{segment(call_id)}"
            call: Call = await self._transport.json("GET", path, query=query, options=options)
            if _is_over(call, wait_for) or deadline.is_over():
                return call
            if on_poll is not None:
                on_poll(call)


def _wait_body(
    any_of: Sequence[WaitCondition],
    since: str | Unset,
    expires_at: str | Unset,
    metadata: Mapping[str, Any] | Unset,
) -> dict[str, Any]:
    return {"any_of": any_of, "since": since, "expires_at": expires_at, "metadata": metadata}


class WaitExtras:
    """Waits for anything."""

    _transport: Transport

    def until(
        self,
        *,
        any_of: Sequence[WaitCondition] | None = None,
        wait_id: str | None = None,
        since: str | Unset = UNSET,
        expires_at: str | Unset = UNSET,
        metadata: Mapping[str, Any] | Unset = UNSET,
        max_wait_seconds: float | None = None,
        on_poll: Callable[[Wait], None] | None = None,
        options: RequestOptions | None = None,
    ) -> Wait:
        """Creates a wait, or goes on with one, and returns it when it is over.

        Returns its current state when the time is up: pass its id as `wait_id` to go on.

        Args:
            any_of: The conditions of a new wait. The first one that is true ends it.
            wait_id: An earlier wait to go on with, instead of a new one.
            max_wait_seconds: Maximum time to wait. Default: until the wait is over.
            on_poll: Called with every intermediate state of the record.
        """
        deadline = _Deadline(max_wait_seconds)
        if wait_id is None:
            if any_of is None:
                raise TypeError("pass any_of or wait_id")
            created: Wait = self._transport.json(
                "POST",
                "/v1/waits",
                body=_wait_body(any_of, since, expires_at, metadata),
                is_idempotent=True,
                options=options,
            )
            if created["status"] != "pending":
                return created
            wait_id = created["id"]
        while True:
            query = {"wait_seconds": deadline.slice()}
            path = f"/v1/waits/{segment(wait_id)}"
            wait: Wait = self._transport.json("GET", path, query=query, options=options)
            if wait["status"] != "pending" or deadline.is_over():
                return wait
            if on_poll is not None:
                on_poll(wait)


class AsyncWaitExtras:
    """Waits for anything."""

    _transport: AsyncTransport

    async def until(
        self,
        *,
        any_of: Sequence[WaitCondition] | None = None,
        wait_id: str | None = None,
        since: str | Unset = UNSET,
        expires_at: str | Unset = UNSET,
        metadata: Mapping[str, Any] | Unset = UNSET,
        max_wait_seconds: float | None = None,
        on_poll: Callable[[Wait], None] | None = None,
        options: RequestOptions | None = None,
    ) -> Wait:
        """Creates a wait, or goes on with one, and returns it when it is over.

        Returns its current state when the time is up: pass its id as `wait_id` to go on.

        Args:
            any_of: The conditions of a new wait. The first one that is true ends it.
            wait_id: An earlier wait to go on with, instead of a new one.
            max_wait_seconds: Maximum time to wait. Default: until the wait is over.
            on_poll: Called with every intermediate state of the record.
        """
        deadline = _Deadline(max_wait_seconds)
        if wait_id is None:
            if any_of is None:
                raise TypeError("pass any_of or wait_id")
            created: Wait = await self._transport.json(
                "POST",
                "/v1/waits",
                body=_wait_body(any_of, since, expires_at, metadata),
                is_idempotent=True,
                options=options,
            )
            if created["status"] != "pending":
                return created
            wait_id = created["id"]
        while True:
            query = {"wait_seconds": deadline.slice()}
            path = f"/v1/waits/{segment(wait_id)}"
            wait: Wait = await self._transport.json("GET", path, query=query, options=options)
            if wait["status"] != "pending" or deadline.is_over():
                return wait
            if on_poll is not None:
                on_poll(wait)


class EventExtras:
    """Streams events."""

    _transport: Transport

    def stream(
        self,
        *,
        last_event_id: str | None = None,
        on_open: Callable[[], None] | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[AnyEvent]:
        """Streams events as they happen; reconnects without a gap when the connection breaks.

        Args:
            last_event_id: Start after this event instead of now.
            on_open: Called each time the stream opens, also after a reconnect.
        """
        return follow_events(self._transport, last_event_id, on_open, options)


class AsyncEventExtras:
    """Streams events."""

    _transport: AsyncTransport

    def stream(
        self,
        *,
        last_event_id: str | None = None,
        on_open: Callable[[], None] | None = None,
        options: RequestOptions | None = None,
    ) -> AsyncIterator[AnyEvent]:
        """Streams events as they happen; reconnects without a gap when the connection breaks.

        Args:
            last_event_id: Start after this event instead of now.
            on_open: Called each time the stream opens, also after a reconnect.
        """
        return follow_events_async(self._transport, last_event_id, on_open, options)


class WebhookExtras:
    """Verifies webhook requests. The same in both clients, because it sends nothing."""

    def verify(
        self,
        raw_body: bytes | str,
        headers: WebhookHeaders,
        secret: str,
        *,
        now: float | None = None,
        tolerance_seconds: int = TOLERANCE_SECONDS,
    ) -> AnyEvent:
        """Returns the event of a webhook request, or raises a `SignatureError`."""
        return verify_webhook(
            raw_body, headers, secret, now=now, tolerance_seconds=tolerance_seconds
        )

    def test_headers(
        self,
        raw_body: bytes | str,
        secret: str,
        *,
        now: float | None = None,
        delivery_id: str | None = None,
    ) -> dict[str, str]:
        """The headers that Parley would send with this body, for tests of a receiver."""
        return sign_webhook(raw_body, secret, now=now, delivery_id=delivery_id)


class AsyncWebhookExtras(WebhookExtras):
    """Verifies webhook requests."""
