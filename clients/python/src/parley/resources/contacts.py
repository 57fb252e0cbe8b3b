# Made by `npm run generate`; edits are lost.
"""The operations on `contacts`."""

from __future__ import annotations


from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import Contact


class ContactsResource:
    """The people your agents communicate with."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        name: str,
        phone_e164: str | Unset | None = UNSET,
        email: str | Unset | None = UNSET,
        role: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Contact:
        """Add a contact.

        Phone numbers and email addresses are unique within the organization. Two spellings of one
        address, such as bücher.example and xn--bcher-kva.example, count as the same.

        Args:
            name: The name of the person.
        """
        result: Contact = self._transport.json(
            "POST",
            "/v1/contacts",
            body={
                "name": name,
                "phone_e164": phone_e164,
                "email": email,
                "role": role,
            },
            is_idempotent=True,
            options=options,
        )
        return result

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        q: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[Contact]:
        """List contacts, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            q: Only contacts whose name, phone number or email address contains this text, ignoring
                case.
        """
        return Page.first(
            self._transport,
            "/v1/contacts",
            query={
                "cursor": cursor,
                "limit": limit,
                "q": q,
            },
            options=options,
        )

    def get(
        self,
        contact_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Contact:
        """Read one contact."""
        result: Contact = self._transport.json(
            "GET",
            f"/v1/contacts/{segment(contact_id)}",
            options=options,
        )
        return result

    def update(
        self,
        contact_id: str,
        *,
        name: str | Unset = UNSET,
        phone_e164: str | Unset | None = UNSET,
        email: str | Unset | None = UNSET,
        role: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Contact:
        """Change a contact.

        Args:
            name: The name of the person.
        """
        result: Contact = self._transport.json(
            "PATCH",
            f"/v1/contacts/{segment(contact_id)}",
            body={
                "name": name,
                "phone_e164": phone_e164,
                "email": email,
                "role": role,
            },
            options=options,
        )
        return result

    def delete(
        self,
        contact_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Remove a contact."""
        self._transport.json(
            "DELETE",
            f"/v1/contacts/{segment(contact_id)}",
            options=options,
        )


class AsyncContactsResource:
    """The people your agents communicate with."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        phone_e164: str | Unset | None = UNSET,
        email: str | Unset | None = UNSET,
        role: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Contact:
        """Add a contact.

        Phone numbers and email addresses are unique within the organization. Two spellings of one
        address, such as bücher.example and xn--bcher-kva.example, count as the same.

        Args:
            name: The name of the person.
        """
        result: Contact = await self._transport.json(
            "POST",
            "/v1/contacts",
            body={
                "name": name,
                "phone_e164": phone_e164,
                "email": email,
                "role": role,
            },
            is_idempotent=True,
            options=options,
        )
        return result

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        q: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[Contact]:
        """List contacts, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            q: Only contacts whose name, phone number or email address contains this text, ignoring
                case.
        """
        return AsyncList(
            self._transport,
            "/v1/contacts",
            query={
                "cursor": cursor,
                "limit": limit,
                "q": q,
            },
            options=options,
        )

    async def get(
        self,
        contact_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Contact:
        """Read one contact."""
        result: Contact = await self._transport.json(
            "GET",
            f"/v1/contacts/{segment(contact_id)}",
            options=options,
        )
        return result

    async def update(
        self,
        contact_id: str,
        *,
        name: str | Unset = UNSET,
        phone_e164: str | Unset | None = UNSET,
        email: str | Unset | None = UNSET,
        role: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Contact:
        """Change a contact.

        Args:
            name: The name of the person.
        """
        result: Contact = await self._transport.json(
            "PATCH",
            f"/v1/contacts/{segment(contact_id)}",
            body={
                "name": name,
                "phone_e164": phone_e164,
                "email": email,
                "role": role,
            },
            options=options,
        )
        return result

    async def delete(
        self,
        contact_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Remove a contact."""
        await self._transport.json(
            "DELETE",
            f"/v1/contacts/{segment(contact_id)}",
            options=options,
        )
