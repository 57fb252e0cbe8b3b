# Made by `npm run generate`; edits are lost.
"""The operations on `email_suppressions`."""

from __future__ import annotations

from typing import Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import EmailSuppression


class EmailSuppressionsResource:
    """Addresses that bounced permanently, complained or unsubscribed, or that you added. Emails to
    them are rejected.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        recipient: str,
        reason: Literal["manual", "unsubscribe", "complaint", "hard_bounce"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailSuppression:
        """Stop sending to an address.

        If the address is already suppressed, the existing entry is returned.

        Args:
            recipient: One address, without a display name.
        """
        result: EmailSuppression = self._transport.json(
            "POST",
            "/v1/email-suppressions",
            body={
                "recipient": recipient,
                "reason": reason,
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
    ) -> Page[EmailSuppression]:
        """List suppressed addresses, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/email-suppressions",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def delete(
        self,
        suppression_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Allow sending to an address again."""
        self._transport.json(
            "DELETE",
            f"/v1/email-suppressions/{segment(suppression_id)}",
            options=options,
        )


class AsyncEmailSuppressionsResource:
    """Addresses that bounced permanently, complained or unsubscribed, or that you added. Emails to
    them are rejected.
    """

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        recipient: str,
        reason: Literal["manual", "unsubscribe", "complaint", "hard_bounce"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailSuppression:
        """Stop sending to an address.

        If the address is already suppressed, the existing entry is returned.

        Args:
            recipient: One address, without a display name.
        """
        result: EmailSuppression = await self._transport.json(
            "POST",
            "/v1/email-suppressions",
            body={
                "recipient": recipient,
                "reason": reason,
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
    ) -> AsyncList[EmailSuppression]:
        """List suppressed addresses, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/email-suppressions",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def delete(
        self,
        suppression_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Allow sending to an address again."""
        await self._transport.json(
            "DELETE",
            f"/v1/email-suppressions/{segment(suppression_id)}",
            options=options,
        )
