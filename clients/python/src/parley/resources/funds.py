# Made by `npm run generate`; edits are lost.
"""The operations on `funds`."""

from __future__ import annotations


from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import Balance, LedgerEntry, Prices


class FundsResource:
    """The balance and the charges of your organization."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def balance(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> Balance:
        """Get the balance."""
        result: Balance = self._transport.json(
            "GET",
            "/v1/funds",
            options=options,
        )
        return result

    def ledger(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[LedgerEntry]:
        """List credits and charges, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/funds/ledger",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def organization_balance(
        self,
        organization_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Balance:
        """Get the balance of an organization."""
        result: Balance = self._transport.json(
            "GET",
            f"/v1/admin/organizations/{segment(organization_id)}/funds",
            options=options,
        )
        return result

    def organization_ledger(
        self,
        organization_id: str,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[LedgerEntry]:
        """List credits and charges of an organization.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            f"/v1/admin/organizations/{segment(organization_id)}/funds/ledger",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def credit(
        self,
        organization_id: str,
        *,
        amount_micros: int,
        note: str | Unset | None = UNSET,
        reference: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> LedgerEntry:
        """Credit an organization.

        A negative amount is a debit. A repeated reference is credited only once.

        Args:
            amount_micros: Millionths of the currency unit: 1 000 000 is one dollar.
            reference: Your reference for this payment. A repeated reference is credited only once.
        """
        result: LedgerEntry = self._transport.json(
            "POST",
            f"/v1/admin/organizations/{segment(organization_id)}/funds/credits",
            body={
                "amount_micros": amount_micros,
                "note": note,
                "reference": reference,
            },
            options=options,
        )
        return result

    def prices(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> Prices:
        """Get the price table."""
        result: Prices = self._transport.json(
            "GET",
            "/v1/admin/prices",
            options=options,
        )
        return result

    def update_prices(
        self,
        *,
        call_minute: int | Unset = UNSET,
        sms_segment: int | Unset = UNSET,
        number_setup: int | Unset = UNSET,
        number_month: int | Unset = UNSET,
        inbound_email: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Prices:
        """Change prices.

        Args:
            call_minute: Millionths of the currency unit: 1 000 000 is one dollar.
            sms_segment: Millionths of the currency unit: 1 000 000 is one dollar.
            number_setup: Millionths of the currency unit: 1 000 000 is one dollar.
            number_month: Millionths of the currency unit: 1 000 000 is one dollar.
            inbound_email: Millionths of the currency unit: 1 000 000 is one dollar.
        """
        result: Prices = self._transport.json(
            "PATCH",
            "/v1/admin/prices",
            body={
                "call_minute": call_minute,
                "sms_segment": sms_segment,
                "number_setup": number_setup,
                "number_month": number_month,
                "inbound_email": inbound_email,
            },
            options=options,
        )
        return result


class AsyncFundsResource:
    """The balance and the charges of your organization."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def balance(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> Balance:
        """Get the balance."""
        result: Balance = await self._transport.json(
            "GET",
            "/v1/funds",
            options=options,
        )
        return result

    def ledger(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[LedgerEntry]:
        """List credits and charges, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/funds/ledger",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def organization_balance(
        self,
        organization_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Balance:
        """Get the balance of an organization."""
        result: Balance = await self._transport.json(
            "GET",
            f"/v1/admin/organizations/{segment(organization_id)}/funds",
            options=options,
        )
        return result

    def organization_ledger(
        self,
        organization_id: str,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[LedgerEntry]:
        """List credits and charges of an organization.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            f"/v1/admin/organizations/{segment(organization_id)}/funds/ledger",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def credit(
        self,
        organization_id: str,
        *,
        amount_micros: int,
        note: str | Unset | None = UNSET,
        reference: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> LedgerEntry:
        """Credit an organization.

        A negative amount is a debit. A repeated reference is credited only once.

        Args:
            amount_micros: Millionths of the currency unit: 1 000 000 is one dollar.
            reference: Your reference for this payment. A repeated reference is credited only once.
        """
        result: LedgerEntry = await self._transport.json(
            "POST",
            f"/v1/admin/organizations/{segment(organization_id)}/funds/credits",
            body={
                "amount_micros": amount_micros,
                "note": note,
                "reference": reference,
            },
            options=options,
        )
        return result

    async def prices(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> Prices:
        """Get the price table."""
        result: Prices = await self._transport.json(
            "GET",
            "/v1/admin/prices",
            options=options,
        )
        return result

    async def update_prices(
        self,
        *,
        call_minute: int | Unset = UNSET,
        sms_segment: int | Unset = UNSET,
        number_setup: int | Unset = UNSET,
        number_month: int | Unset = UNSET,
        inbound_email: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Prices:
        """Change prices.

        Args:
            call_minute: Millionths of the currency unit: 1 000 000 is one dollar.
            sms_segment: Millionths of the currency unit: 1 000 000 is one dollar.
            number_setup: Millionths of the currency unit: 1 000 000 is one dollar.
            number_month: Millionths of the currency unit: 1 000 000 is one dollar.
            inbound_email: Millionths of the currency unit: 1 000 000 is one dollar.
        """
        result: Prices = await self._transport.json(
            "PATCH",
            "/v1/admin/prices",
            body={
                "call_minute": call_minute,
                "sms_segment": sms_segment,
                "number_setup": number_setup,
                "number_month": number_month,
                "inbound_email": inbound_email,
            },
            options=options,
        )
        return result
