# Made by `npm run generate`; edits are lost.
"""The operations on `sandbox_sms`."""

from __future__ import annotations


from parley._request import RequestOptions
from parley._transport import AsyncTransport, Transport
from parley.records import Sms


class SandboxSmsResource:
    """Simulate another phone; only with the sandbox on."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def receive(
        self,
        *,
        from_: str,
        to: str,
        body: str,
        options: RequestOptions | None = None,
    ) -> Sms:
        """Simulate an inbound text.

        Args:
            from_: A phone number with its country code, such as +1 415 555 0123; stored as E.164.
            to: One of your active SMS numbers, or the default sender of the sandbox.
        """
        result: Sms = self._transport.json(
            "POST",
            "/v1/sandbox/inbound-sms",
            body={
                "from": from_,
                "to": to,
                "body": body,
            },
            options=options,
        )
        return result


class AsyncSandboxSmsResource:
    """Simulate another phone; only with the sandbox on."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def receive(
        self,
        *,
        from_: str,
        to: str,
        body: str,
        options: RequestOptions | None = None,
    ) -> Sms:
        """Simulate an inbound text.

        Args:
            from_: A phone number with its country code, such as +1 415 555 0123; stored as E.164.
            to: One of your active SMS numbers, or the default sender of the sandbox.
        """
        result: Sms = await self._transport.json(
            "POST",
            "/v1/sandbox/inbound-sms",
            body={
                "from": from_,
                "to": to,
                "body": body,
            },
            options=options,
        )
        return result
