# Made by `npm run generate`; edits are lost.
"""The operations on `pool_numbers`."""

from __future__ import annotations

from typing import Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import PoolNumber


class PoolNumbersResource:
    """Shared numbers; superadmins only."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        e164: str,
        provider: str | Unset = UNSET,
        number_type: Literal["local", "mobile", "toll_free", "national"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PoolNumber:
        """Add a number to the pool.

        The number must already belong to the carrier account of this server.

        Args:
            e164: A phone number with its country code, such as +1 415 555 0123; stored as E.164.
            provider: The carrier of the number. Default: the active carrier.
            number_type: Default: local.
        """
        result: PoolNumber = self._transport.json(
            "POST",
            "/v1/admin/pool-numbers",
            body={
                "e164": e164,
                "provider": provider,
                "number_type": number_type,
            },
            options=options,
        )
        return result

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[PoolNumber]:
        """List pool numbers, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/admin/pool-numbers",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def update(
        self,
        pool_number_id: str,
        *,
        provisioning_state: Literal["active", "failed"],
        options: RequestOptions | None = None,
    ) -> PoolNumber:
        """Put a pool number in quarantine or take it out."""
        result: PoolNumber = self._transport.json(
            "PATCH",
            f"/v1/admin/pool-numbers/{segment(pool_number_id)}",
            body={
                "provisioning_state": provisioning_state,
            },
            options=options,
        )
        return result


class AsyncPoolNumbersResource:
    """Shared numbers; superadmins only."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        e164: str,
        provider: str | Unset = UNSET,
        number_type: Literal["local", "mobile", "toll_free", "national"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PoolNumber:
        """Add a number to the pool.

        The number must already belong to the carrier account of this server.

        Args:
            e164: A phone number with its country code, such as +1 415 555 0123; stored as E.164.
            provider: The carrier of the number. Default: the active carrier.
            number_type: Default: local.
        """
        result: PoolNumber = await self._transport.json(
            "POST",
            "/v1/admin/pool-numbers",
            body={
                "e164": e164,
                "provider": provider,
                "number_type": number_type,
            },
            options=options,
        )
        return result

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[PoolNumber]:
        """List pool numbers, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/admin/pool-numbers",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def update(
        self,
        pool_number_id: str,
        *,
        provisioning_state: Literal["active", "failed"],
        options: RequestOptions | None = None,
    ) -> PoolNumber:
        """Put a pool number in quarantine or take it out."""
        result: PoolNumber = await self._transport.json(
            "PATCH",
            f"/v1/admin/pool-numbers/{segment(pool_number_id)}",
            body={
                "provisioning_state": provisioning_state,
            },
            options=options,
        )
        return result
