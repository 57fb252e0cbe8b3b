# Made by `npm run generate`; edits are lost.
"""The operations on `numbers`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import NumberOffers, PhoneNumber


class NumbersResource:
    """Your phone numbers."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def quote(
        self,
        *,
        country_code: str,
        number_type: Literal["local", "mobile", "toll_free", "national"] | Unset = UNSET,
        capabilities: Sequence[Literal["voice", "sms"]] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> NumberOffers:
        """Get quotes for numbers that can be bought.

        A quote holds its price for 10 minutes. It does not reserve the number: another buyer may be
        faster.

        Args:
            country_code: Two-letter country code (ISO 3166-1), such as US.
            number_type: Default: local.
            capabilities: The capabilities the number needs. Default: voice and sms.
        """
        result: NumberOffers = self._transport.json(
            "POST",
            "/v1/numbers/quotes",
            body={
                "country_code": country_code,
                "number_type": number_type,
                "capabilities": capabilities,
            },
            options=options,
        )
        return result

    def create(
        self,
        *,
        country_code: str,
        quote_id: str | Unset | None = UNSET,
        number_type: Literal["local", "mobile", "toll_free", "national"] | Unset | None = UNSET,
        capabilities: Sequence[Literal["voice", "sms"]] | Unset | None = UNSET,
        e164: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> PhoneNumber:
        """Buy a number.

        Returns provisioning_state active, or pending if the carrier needs more time: then read the
        number until it is active or failed.

        Args:
            country_code: Two-letter country code (ISO 3166-1), such as US.
            quote_id: The quote to accept. Without it, the first matching number is bought.
            e164: The exact number to buy.
        """
        result: PhoneNumber = self._transport.json(
            "POST",
            "/v1/numbers",
            body={
                "country_code": country_code,
                "quote_id": quote_id,
                "number_type": number_type,
                "capabilities": capabilities,
                "e164": e164,
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
        provisioning_state: Literal["pending", "active", "failed", "released"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[PhoneNumber]:
        """List numbers, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            provisioning_state: Only numbers in this state.
        """
        return Page.first(
            self._transport,
            "/v1/numbers",
            query={
                "cursor": cursor,
                "limit": limit,
                "provisioning_state": provisioning_state,
            },
            options=options,
        )

    def get(
        self,
        number_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> PhoneNumber:
        """Read one number."""
        result: PhoneNumber = self._transport.json(
            "GET",
            f"/v1/numbers/{segment(number_id)}",
            options=options,
        )
        return result

    def update(
        self,
        number_id: str,
        *,
        voice_agent_id: str | Unset | None = UNSET,
        sms_agent_id: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> PhoneNumber:
        """Choose the agents of a number."""
        result: PhoneNumber = self._transport.json(
            "PATCH",
            f"/v1/numbers/{segment(number_id)}",
            body={
                "voice_agent_id": voice_agent_id,
                "sms_agent_id": sms_agent_id,
            },
            options=options,
        )
        return result

    def release(
        self,
        number_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> PhoneNumber:
        """Release a number to the carrier.

        The number stops working immediately and the carrier may sell it to another customer.
        """
        result: PhoneNumber = self._transport.json(
            "DELETE",
            f"/v1/numbers/{segment(number_id)}",
            options=options,
        )
        return result


class AsyncNumbersResource:
    """Your phone numbers."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def quote(
        self,
        *,
        country_code: str,
        number_type: Literal["local", "mobile", "toll_free", "national"] | Unset = UNSET,
        capabilities: Sequence[Literal["voice", "sms"]] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> NumberOffers:
        """Get quotes for numbers that can be bought.

        A quote holds its price for 10 minutes. It does not reserve the number: another buyer may be
        faster.

        Args:
            country_code: Two-letter country code (ISO 3166-1), such as US.
            number_type: Default: local.
            capabilities: The capabilities the number needs. Default: voice and sms.
        """
        result: NumberOffers = await self._transport.json(
            "POST",
            "/v1/numbers/quotes",
            body={
                "country_code": country_code,
                "number_type": number_type,
                "capabilities": capabilities,
            },
            options=options,
        )
        return result

    async def create(
        self,
        *,
        country_code: str,
        quote_id: str | Unset | None = UNSET,
        number_type: Literal["local", "mobile", "toll_free", "national"] | Unset | None = UNSET,
        capabilities: Sequence[Literal["voice", "sms"]] | Unset | None = UNSET,
        e164: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> PhoneNumber:
        """Buy a number.

        Returns provisioning_state active, or pending if the carrier needs more time: then read the
        number until it is active or failed.

        Args:
            country_code: Two-letter country code (ISO 3166-1), such as US.
            quote_id: The quote to accept. Without it, the first matching number is bought.
            e164: The exact number to buy.
        """
        result: PhoneNumber = await self._transport.json(
            "POST",
            "/v1/numbers",
            body={
                "country_code": country_code,
                "quote_id": quote_id,
                "number_type": number_type,
                "capabilities": capabilities,
                "e164": e164,
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
        provisioning_state: Literal["pending", "active", "failed", "released"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[PhoneNumber]:
        """List numbers, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            provisioning_state: Only numbers in this state.
        """
        return AsyncList(
            self._transport,
            "/v1/numbers",
            query={
                "cursor": cursor,
                "limit": limit,
                "provisioning_state": provisioning_state,
            },
            options=options,
        )

    async def get(
        self,
        number_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> PhoneNumber:
        """Read one number."""
        result: PhoneNumber = await self._transport.json(
            "GET",
            f"/v1/numbers/{segment(number_id)}",
            options=options,
        )
        return result

    async def update(
        self,
        number_id: str,
        *,
        voice_agent_id: str | Unset | None = UNSET,
        sms_agent_id: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> PhoneNumber:
        """Choose the agents of a number."""
        result: PhoneNumber = await self._transport.json(
            "PATCH",
            f"/v1/numbers/{segment(number_id)}",
            body={
                "voice_agent_id": voice_agent_id,
                "sms_agent_id": sms_agent_id,
            },
            options=options,
        )
        return result

    async def release(
        self,
        number_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> PhoneNumber:
        """Release a number to the carrier.

        The number stops working immediately and the carrier may sell it to another customer.
        """
        result: PhoneNumber = await self._transport.json(
            "DELETE",
            f"/v1/numbers/{segment(number_id)}",
            options=options,
        )
        return result
