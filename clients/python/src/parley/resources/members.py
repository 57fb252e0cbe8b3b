# Made by `npm run generate`; edits are lost.
"""The operations on `members`."""

from __future__ import annotations

from typing import Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import Member


class MembersResource:
    """The people of your organization; managed mode only."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[Member]:
        """List members, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/members",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def update(
        self,
        member_id: str,
        *,
        role: Literal["owner", "admin", "member"],
        options: RequestOptions | None = None,
    ) -> Member:
        """Change the role of a member.

        Args:
            role: owner and admin may invite, change and remove people; only an owner can make
                another person an owner.
        """
        result: Member = self._transport.json(
            "PATCH",
            f"/v1/members/{segment(member_id)}",
            body={
                "role": role,
            },
            options=options,
        )
        return result

    def remove(
        self,
        member_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Remove a member.

        The keys of the member stop working immediately. Every member may remove themselves.
        """
        self._transport.json(
            "DELETE",
            f"/v1/members/{segment(member_id)}",
            options=options,
        )


class AsyncMembersResource:
    """The people of your organization; managed mode only."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[Member]:
        """List members, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/members",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def update(
        self,
        member_id: str,
        *,
        role: Literal["owner", "admin", "member"],
        options: RequestOptions | None = None,
    ) -> Member:
        """Change the role of a member.

        Args:
            role: owner and admin may invite, change and remove people; only an owner can make
                another person an owner.
        """
        result: Member = await self._transport.json(
            "PATCH",
            f"/v1/members/{segment(member_id)}",
            body={
                "role": role,
            },
            options=options,
        )
        return result

    async def remove(
        self,
        member_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Remove a member.

        The keys of the member stop working immediately. Every member may remove themselves.
        """
        await self._transport.json(
            "DELETE",
            f"/v1/members/{segment(member_id)}",
            options=options,
        )
