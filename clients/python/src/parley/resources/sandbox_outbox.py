# Made by `npm run generate`; edits are lost.
"""The operations on `sandbox_outbox`."""

from __future__ import annotations

from typing import Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset
from parley._transport import AsyncTransport, Transport
from parley.records import SandboxMessage


class SandboxOutboxResource:
    """What the sandbox transports received instead of sending it."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        channel: Literal["email", "sms", "call"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[SandboxMessage]:
        """List what the sandbox transports received, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/sandbox/outbox",
            query={
                "cursor": cursor,
                "limit": limit,
                "channel": channel,
            },
            options=options,
        )


class AsyncSandboxOutboxResource:
    """What the sandbox transports received instead of sending it."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        channel: Literal["email", "sms", "call"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[SandboxMessage]:
        """List what the sandbox transports received, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/sandbox/outbox",
            query={
                "cursor": cursor,
                "limit": limit,
                "channel": channel,
            },
            options=options,
        )
