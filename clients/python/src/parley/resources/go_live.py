# Made by `npm run generate`; edits are lost.
"""The operations on `go_live`."""

from __future__ import annotations


from parley._request import RequestOptions
from parley._transport import AsyncTransport, Transport
from parley.records import GoLive


class GoLiveResource:
    """What is missing before the server can reach real people."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> GoLive:
        """Get what is missing to go live.

        Checks the settings of the server and the records of your organization: carrier, numbers,
        LLM, mail transport, DNS, public address and callbacks. Only superadmins see details of the
        settings that the operator manages.
        """
        result: GoLive = self._transport.json(
            "GET",
            "/v1/go-live",
            options=options,
        )
        return result


class AsyncGoLiveResource:
    """What is missing before the server can reach real people."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> GoLive:
        """Get what is missing to go live.

        Checks the settings of the server and the records of your organization: carrier, numbers,
        LLM, mail transport, DNS, public address and callbacks. Only superadmins see details of the
        settings that the operator manages.
        """
        result: GoLive = await self._transport.json(
            "GET",
            "/v1/go-live",
            options=options,
        )
        return result
