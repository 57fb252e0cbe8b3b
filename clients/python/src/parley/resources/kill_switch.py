# Made by `npm run generate`; edits are lost.
"""The operations on `kill_switch`."""

from __future__ import annotations


from parley._request import RequestOptions, UNSET, Unset
from parley._transport import AsyncTransport, Transport
from parley.records import KillSwitch


class KillSwitchResource:
    """Stops a channel for every organization; superadmins only."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> KillSwitch:
        """Get which channels are stopped."""
        result: KillSwitch = self._transport.json(
            "GET",
            "/v1/admin/kill-switch",
            options=options,
        )
        return result

    def update(
        self,
        *,
        calls: bool | Unset = UNSET,
        emails: bool | Unset = UNSET,
        sms: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> KillSwitch:
        """Stop or resume a channel.

        Takes effect on every process within a second. While a channel is stopped, requests get 429
        kill_switch, queued messages and calls wait (and fail with not_allowed if they wait too
        long), and calls to your numbers are declined.

        Args:
            calls: true: no organization can send anything new on this channel.
            emails: true: no organization can send anything new on this channel.
            sms: true: no organization can send anything new on this channel.
        """
        result: KillSwitch = self._transport.json(
            "PATCH",
            "/v1/admin/kill-switch",
            body={
                "calls": calls,
                "emails": emails,
                "sms": sms,
            },
            options=options,
        )
        return result


class AsyncKillSwitchResource:
    """Stops a channel for every organization; superadmins only."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> KillSwitch:
        """Get which channels are stopped."""
        result: KillSwitch = await self._transport.json(
            "GET",
            "/v1/admin/kill-switch",
            options=options,
        )
        return result

    async def update(
        self,
        *,
        calls: bool | Unset = UNSET,
        emails: bool | Unset = UNSET,
        sms: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> KillSwitch:
        """Stop or resume a channel.

        Takes effect on every process within a second. While a channel is stopped, requests get 429
        kill_switch, queued messages and calls wait (and fail with not_allowed if they wait too
        long), and calls to your numbers are declined.

        Args:
            calls: true: no organization can send anything new on this channel.
            emails: true: no organization can send anything new on this channel.
            sms: true: no organization can send anything new on this channel.
        """
        result: KillSwitch = await self._transport.json(
            "PATCH",
            "/v1/admin/kill-switch",
            body={
                "calls": calls,
                "emails": emails,
                "sms": sms,
            },
            options=options,
        )
        return result
