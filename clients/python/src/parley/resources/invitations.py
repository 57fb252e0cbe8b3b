# Made by `npm run generate`; edits are lost.
"""The operations on `invitations`."""

from __future__ import annotations

from typing import Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import Invitation, NewInvitation


class InvitationsResource:
    """Invitation links for new members."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        email: str,
        role: Literal["owner", "admin", "member"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> NewInvitation:
        """Invite a person.

        The response contains the link to send to the person. It works once, for seven days.

        Args:
            email: One email address, without a display name.
            role: Default: member.
        """
        result: NewInvitation = self._transport.json(
            "POST",
            "/v1/invitations",
            body={
                "email": email,
                "role": role,
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
    ) -> Page[Invitation]:
        """List invitations, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/invitations",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def withdraw(
        self,
        invitation_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Withdraw an invitation."""
        self._transport.json(
            "DELETE",
            f"/v1/invitations/{segment(invitation_id)}",
            options=options,
        )


class AsyncInvitationsResource:
    """Invitation links for new members."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        email: str,
        role: Literal["owner", "admin", "member"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> NewInvitation:
        """Invite a person.

        The response contains the link to send to the person. It works once, for seven days.

        Args:
            email: One email address, without a display name.
            role: Default: member.
        """
        result: NewInvitation = await self._transport.json(
            "POST",
            "/v1/invitations",
            body={
                "email": email,
                "role": role,
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
    ) -> AsyncList[Invitation]:
        """List invitations, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/invitations",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def withdraw(
        self,
        invitation_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Withdraw an invitation."""
        await self._transport.json(
            "DELETE",
            f"/v1/invitations/{segment(invitation_id)}",
            options=options,
        )
