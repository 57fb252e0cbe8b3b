# Made by `npm run generate`; edits are lost.
"""The operations on `verifications`."""

from __future__ import annotations

from typing import Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import Verification, VerificationCreateAddress


class VerificationsResource:
    """Proof of who uses a number, where a country requires it."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        country_code: str,
        number_type: Literal["local", "mobile", "toll_free", "national"],
        subject_type: Literal["individual", "business"],
        subject_name: str,
        address: VerificationCreateAddress | Unset | None = UNSET,
        registration_number: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Verification:
        """Submit a verification.

        It is submitted to the carrier immediately. Read it again to follow its state.

        Args:
            country_code: Two-letter country code (ISO 3166-1), such as US.
            subject_name: The person or company that will use the number.
            address: The address of the person or company.
            registration_number: From the company register or the identity document.
        """
        result: Verification = self._transport.json(
            "POST",
            "/v1/verifications",
            body={
                "country_code": country_code,
                "number_type": number_type,
                "subject_type": subject_type,
                "subject_name": subject_name,
                "address": address,
                "registration_number": registration_number,
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
    ) -> Page[Verification]:
        """List verifications, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/verifications",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def get(
        self,
        verification_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Verification:
        """Read one verification."""
        result: Verification = self._transport.json(
            "GET",
            f"/v1/verifications/{segment(verification_id)}",
            options=options,
        )
        return result


class AsyncVerificationsResource:
    """Proof of who uses a number, where a country requires it."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        country_code: str,
        number_type: Literal["local", "mobile", "toll_free", "national"],
        subject_type: Literal["individual", "business"],
        subject_name: str,
        address: VerificationCreateAddress | Unset | None = UNSET,
        registration_number: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Verification:
        """Submit a verification.

        It is submitted to the carrier immediately. Read it again to follow its state.

        Args:
            country_code: Two-letter country code (ISO 3166-1), such as US.
            subject_name: The person or company that will use the number.
            address: The address of the person or company.
            registration_number: From the company register or the identity document.
        """
        result: Verification = await self._transport.json(
            "POST",
            "/v1/verifications",
            body={
                "country_code": country_code,
                "number_type": number_type,
                "subject_type": subject_type,
                "subject_name": subject_name,
                "address": address,
                "registration_number": registration_number,
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
    ) -> AsyncList[Verification]:
        """List verifications, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/verifications",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def get(
        self,
        verification_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Verification:
        """Read one verification."""
        result: Verification = await self._transport.json(
            "GET",
            f"/v1/verifications/{segment(verification_id)}",
            options=options,
        )
        return result
