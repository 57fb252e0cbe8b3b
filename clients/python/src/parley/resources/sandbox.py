# Made by `npm run generate`; edits are lost.
"""The operations on `sandbox`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from parley._request import RequestOptions, UNSET, Unset
from parley._transport import AsyncTransport, Transport
from parley.records import SandboxClock, SandboxEvents


class SandboxResource:
    """Tools for tests and first steps. With PARLEY_SANDBOX=off these endpoints do not exist. In
    managed mode only superadmins may move the clock and create events.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_clock(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxClock:
        """Read the clock of the service."""
        result: SandboxClock = self._transport.json(
            "GET",
            "/v1/sandbox/clock",
            options=options,
        )
        return result

    def advance_clock(
        self,
        *,
        advance_seconds: int,
        options: RequestOptions | None = None,
    ) -> SandboxClock:
        """Move the clock of the service forward.

        Everything that is scheduled runs as if its time had come: first the retries of deliveries
        in order, each at its own time, then everything else. The response is sent after all due
        work has run. The clock never goes back. In managed mode the clock does not affect
        deletions, the expiry of credentials and caps.

        Args:
            advance_seconds: How far to move the clock forward.
        """
        result: SandboxClock = self._transport.json(
            "POST",
            "/v1/sandbox/clock",
            body={
                "advance_seconds": advance_seconds,
            },
            options=options,
        )
        return result

    def create_events(
        self,
        *,
        type: Literal["call.answered", "call.completed", "call.failed", "call.busy", "call.no_answer", "email.received", "email.received.suppressed", "email.delivered", "email.delivery_delayed", "email.bounced", "email.complained", "email.opened", "email.clicked", "email.send_failed", "sms.received", "sms.delivered", "sms.undelivered", "sms.failed", "sms.not_answered"],
        data: Mapping[str, Any] | Unset = UNSET,
        email_domain_id: str | Unset = UNSET,
        email_domain: str | Unset = UNSET,
        count: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> SandboxEvents:
        """Create example events.

        Publishes the documented example of an event type: it is listed, streamed and delivered like
        any other event.

        Args:
            data: Fields that replace those of the example of the type; the result must match its
                schema.
            email_domain_id: The email domain of the event.
            email_domain: The name of that domain.
            count: The number of events to create.
        """
        result: SandboxEvents = self._transport.json(
            "POST",
            "/v1/sandbox/events",
            body={
                "type": type,
                "data": data,
                "email_domain_id": email_domain_id,
                "email_domain": email_domain,
                "count": count,
            },
            options=options,
        )
        return result


class AsyncSandboxResource:
    """Tools for tests and first steps. With PARLEY_SANDBOX=off these endpoints do not exist. In
    managed mode only superadmins may move the clock and create events.
    """

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get_clock(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxClock:
        """Read the clock of the service."""
        result: SandboxClock = await self._transport.json(
            "GET",
            "/v1/sandbox/clock",
            options=options,
        )
        return result

    async def advance_clock(
        self,
        *,
        advance_seconds: int,
        options: RequestOptions | None = None,
    ) -> SandboxClock:
        """Move the clock of the service forward.

        Everything that is scheduled runs as if its time had come: first the retries of deliveries
        in order, each at its own time, then everything else. The response is sent after all due
        work has run. The clock never goes back. In managed mode the clock does not affect
        deletions, the expiry of credentials and caps.

        Args:
            advance_seconds: How far to move the clock forward.
        """
        result: SandboxClock = await self._transport.json(
            "POST",
            "/v1/sandbox/clock",
            body={
                "advance_seconds": advance_seconds,
            },
            options=options,
        )
        return result

    async def create_events(
        self,
        *,
        type: Literal["call.answered", "call.completed", "call.failed", "call.busy", "call.no_answer", "email.received", "email.received.suppressed", "email.delivered", "email.delivery_delayed", "email.bounced", "email.complained", "email.opened", "email.clicked", "email.send_failed", "sms.received", "sms.delivered", "sms.undelivered", "sms.failed", "sms.not_answered"],
        data: Mapping[str, Any] | Unset = UNSET,
        email_domain_id: str | Unset = UNSET,
        email_domain: str | Unset = UNSET,
        count: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> SandboxEvents:
        """Create example events.

        Publishes the documented example of an event type: it is listed, streamed and delivered like
        any other event.

        Args:
            data: Fields that replace those of the example of the type; the result must match its
                schema.
            email_domain_id: The email domain of the event.
            email_domain: The name of that domain.
            count: The number of events to create.
        """
        result: SandboxEvents = await self._transport.json(
            "POST",
            "/v1/sandbox/events",
            body={
                "type": type,
                "data": data,
                "email_domain_id": email_domain_id,
                "email_domain": email_domain,
                "count": count,
            },
            options=options,
        )
        return result
