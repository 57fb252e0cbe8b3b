# Made by `npm run generate`; edits are lost.
"""The operations on `oauth_grants`."""

from __future__ import annotations


from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import OauthGrant


class OauthGrantsResource:
    """Programs that people connected with OAuth; managed mode only."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[OauthGrant]:
        """List connected programs, newest first.

        Owners and admins see every grant of the organization, members their own.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/oauth-grants",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def revoke(
        self,
        oauth_grant_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Disconnect a program.

        Its access and refresh tokens stop working: immediately in the process that handles this
        request, within a second in all others. Owners and admins may revoke every grant, members
        their own.
        """
        self._transport.json(
            "DELETE",
            f"/v1/oauth-grants/{segment(oauth_grant_id)}",
            options=options,
        )


class AsyncOauthGrantsResource:
    """Programs that people connected with OAuth; managed mode only."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[OauthGrant]:
        """List connected programs, newest first.

        Owners and admins see every grant of the organization, members their own.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/oauth-grants",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def revoke(
        self,
        oauth_grant_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Disconnect a program.

        Its access and refresh tokens stop working: immediately in the process that handles this
        request, within a second in all others. Owners and admins may revoke every grant, members
        their own.
        """
        await self._transport.json(
            "DELETE",
            f"/v1/oauth-grants/{segment(oauth_grant_id)}",
            options=options,
        )
