# Made by `npm run generate`; edits are lost.
"""The operations on `api_keys`."""

from __future__ import annotations

from collections.abc import Sequence

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import ApiKey, NewApiKey


class ApiKeysResource:
    """API keys for your programs; managed mode only."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        name: str,
        scopes: Sequence[str] | Unset = UNSET,
        expires_at: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> NewApiKey:
        """Create a key.

        The response contains the key once; the server stores only its hash.

        Args:
            name: What the key is for.
            scopes: What the key may do. Default: *. A key cannot have more scopes than the
                credential that creates it. Only the shared key and a recent console session of a
                superadmin can grant admin.
            expires_at: When the key stops working. Default: never. It cannot be later than the
                expiry of the credential that creates the key.
        """
        result: NewApiKey = self._transport.json(
            "POST",
            "/v1/api-keys",
            body={
                "name": name,
                "scopes": scopes,
                "expires_at": expires_at,
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
    ) -> Page[ApiKey]:
        """List keys, newest first.

        Owners and admins see every key of the organization, members their own.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/api-keys",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def revoke(
        self,
        api_key_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Revoke a key.

        The key stops working immediately. Owners and admins may revoke every key, members their
        own.
        """
        self._transport.json(
            "DELETE",
            f"/v1/api-keys/{segment(api_key_id)}",
            options=options,
        )


class AsyncApiKeysResource:
    """API keys for your programs; managed mode only."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        scopes: Sequence[str] | Unset = UNSET,
        expires_at: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> NewApiKey:
        """Create a key.

        The response contains the key once; the server stores only its hash.

        Args:
            name: What the key is for.
            scopes: What the key may do. Default: *. A key cannot have more scopes than the
                credential that creates it. Only the shared key and a recent console session of a
                superadmin can grant admin.
            expires_at: When the key stops working. Default: never. It cannot be later than the
                expiry of the credential that creates the key.
        """
        result: NewApiKey = await self._transport.json(
            "POST",
            "/v1/api-keys",
            body={
                "name": name,
                "scopes": scopes,
                "expires_at": expires_at,
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
    ) -> AsyncList[ApiKey]:
        """List keys, newest first.

        Owners and admins see every key of the organization, members their own.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/api-keys",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def revoke(
        self,
        api_key_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Revoke a key.

        The key stops working immediately. Owners and admins may revoke every key, members their
        own.
        """
        await self._transport.json(
            "DELETE",
            f"/v1/api-keys/{segment(api_key_id)}",
            options=options,
        )
