# Made by `npm run generate`; edits are lost.
"""The operations on `audit_log`."""

from __future__ import annotations


from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset
from parley._transport import AsyncTransport, Transport
from parley.records import AuditEntry


class AuditLogResource:
    """Who changed what; superadmins only."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        organization_id: str | Unset = UNSET,
        action: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[AuditEntry]:
        """List actions on credentials and actions of administrators, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            organization_id: A UUID.
        """
        return Page.first(
            self._transport,
            "/v1/admin/audit-log",
            query={
                "cursor": cursor,
                "limit": limit,
                "organization_id": organization_id,
                "action": action,
            },
            options=options,
        )


class AsyncAuditLogResource:
    """Who changed what; superadmins only."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        organization_id: str | Unset = UNSET,
        action: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[AuditEntry]:
        """List actions on credentials and actions of administrators, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            organization_id: A UUID.
        """
        return AsyncList(
            self._transport,
            "/v1/admin/audit-log",
            query={
                "cursor": cursor,
                "limit": limit,
                "organization_id": organization_id,
                "action": action,
            },
            options=options,
        )
