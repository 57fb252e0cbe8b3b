# Made by `npm run generate`; edits are lost.
"""The operations on `events`."""

from __future__ import annotations

from typing import Literal

from parley._extras import AsyncEventExtras, EventExtras
from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset
from parley._transport import AsyncTransport, Transport
from parley.records import Event


class EventsResource(EventExtras):
    """The same events that webhooks deliver, to list or to stream without a public URL."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        type: Literal["call.answered", "call.completed", "call.failed", "call.busy", "call.no_answer", "email.received", "email.received.suppressed", "email.delivered", "email.delivery_delayed", "email.bounced", "email.complained", "email.opened", "email.clicked", "email.send_failed", "sms.received", "sms.delivered", "sms.undelivered", "sms.failed", "sms.not_answered"] | Unset = UNSET,
        resource_id: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[Event]:
        """List events, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            type: Only events of this type.
            resource_id: Only events about this call, email or text.
        """
        return Page.first(
            self._transport,
            "/v1/events",
            query={
                "cursor": cursor,
                "limit": limit,
                "type": type,
                "resource_id": resource_id,
            },
            options=options,
        )


class AsyncEventsResource(AsyncEventExtras):
    """The same events that webhooks deliver, to list or to stream without a public URL."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        type: Literal["call.answered", "call.completed", "call.failed", "call.busy", "call.no_answer", "email.received", "email.received.suppressed", "email.delivered", "email.delivery_delayed", "email.bounced", "email.complained", "email.opened", "email.clicked", "email.send_failed", "sms.received", "sms.delivered", "sms.undelivered", "sms.failed", "sms.not_answered"] | Unset = UNSET,
        resource_id: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[Event]:
        """List events, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            type: Only events of this type.
            resource_id: Only events about this call, email or text.
        """
        return AsyncList(
            self._transport,
            "/v1/events",
            query={
                "cursor": cursor,
                "limit": limit,
                "type": type,
                "resource_id": resource_id,
            },
            options=options,
        )
