# Made by `npm run generate`; edits are lost.
"""The operations on `sms`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import Sms, SmsSenderId, SmsSuppression, SmsWait


class SmsResource:
    """Text messages in both directions."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        to: str,
        body: str,
        recipient_consent: Literal[True],
        from_: str | Unset | None = UNSET,
        metadata: Mapping[str, Any] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Sms:
        """Send a text.

        Responds once the text is queued. Follow the text with GET /v1/sms/{sms_id} or with the
        sms.* events. recipient_consent must be true: you confirm that the recipient agreed to be
        contacted.

        Args:
            to: A phone number with its country code, such as +1 415 555 0123; stored as E.164.
            recipient_consent: You confirm that you may lawfully contact the recipient. Must be
                true.
            from_: One of your active SMS numbers, or your custom sender id. Default: chosen for
                you.
            metadata: Your own data, stored with the record and included in its events that have a
                metadata field.
        """
        result: Sms = self._transport.json(
            "POST",
            "/v1/sms",
            body={
                "to": to,
                "body": body,
                "recipient_consent": recipient_consent,
                "from": from_,
                "metadata": metadata,
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
        status: Literal["queued", "sent", "delivered", "undelivered", "failed", "received"] | Unset = UNSET,
        direction: Literal["outbound", "inbound"] | Unset = UNSET,
        to: str | Unset = UNSET,
        conversation_id: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[Sms]:
        """List texts, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            status: Only texts in this status.
            to: A phone number with its country code; encode + as %2B.
            conversation_id: Only texts of this conversation.
        """
        return Page.first(
            self._transport,
            "/v1/sms",
            query={
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "direction": direction,
                "to": to,
                "conversation_id": conversation_id,
            },
            options=options,
        )

    def wait(
        self,
        *,
        to: str | Unset = UNSET,
        from_: str | Unset = UNSET,
        since: str | Unset = UNSET,
        timeout_seconds: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> SmsWait:
        """Wait for an inbound text.

        Responds as soon as a text matches, including one that arrived after "since" and before this
        request. Returns null when the time is up.

        Args:
            to: Only texts to this number.
            from_: Only texts from this phone.
            since: Only texts received at or after this time. Default: the time of the request.
            timeout_seconds: Maximum time to wait.
        """
        result: SmsWait = self._transport.json(
            "GET",
            "/v1/sms/wait",
            query={
                "to": to,
                "from": from_,
                "since": since,
                "timeout_seconds": timeout_seconds,
            },
            options=options,
        )
        return result

    def get(
        self,
        sms_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Sms:
        """Read one text."""
        result: Sms = self._transport.json(
            "GET",
            f"/v1/sms/{segment(sms_id)}",
            options=options,
        )
        return result

    def get_sender_id(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> SmsSenderId:
        """Read the sender of your texts."""
        result: SmsSenderId = self._transport.json(
            "GET",
            "/v1/sms/sender-id",
            options=options,
        )
        return result

    def update_sender_id(
        self,
        *,
        custom_sender_id: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> SmsSenderId:
        """Set the sender of your texts.

        A custom sender id is used if the recipient’s country allows names as senders.
        """
        result: SmsSenderId = self._transport.json(
            "PATCH",
            "/v1/sms/sender-id",
            body={
                "custom_sender_id": custom_sender_id,
            },
            options=options,
        )
        return result

    def list_suppressions(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[SmsSuppression]:
        """List suppressed phone numbers, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/sms/suppressions",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def create_suppression(
        self,
        *,
        recipient: str,
        options: RequestOptions | None = None,
    ) -> SmsSuppression:
        """Stop texts to a phone number.

        If the number is already suppressed, the existing entry is returned.

        Args:
            recipient: A phone number with its country code, such as +1 415 555 0123; stored as
                E.164.
        """
        result: SmsSuppression = self._transport.json(
            "POST",
            "/v1/sms/suppressions",
            body={
                "recipient": recipient,
            },
            options=options,
        )
        return result

    def delete_suppression_of(
        self,
        *,
        recipient: str,
        options: RequestOptions | None = None,
    ) -> None:
        """Allow texts to a phone number again, by number.

        Args:
            recipient: A phone number with its country code; encode + as %2B.
        """
        self._transport.json(
            "DELETE",
            "/v1/sms/suppressions",
            query={
                "recipient": recipient,
            },
            options=options,
        )

    def delete_suppression(
        self,
        sms_suppression_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Allow texts to a phone number again, by id."""
        self._transport.json(
            "DELETE",
            f"/v1/sms/suppressions/{segment(sms_suppression_id)}",
            options=options,
        )


class AsyncSmsResource:
    """Text messages in both directions."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        to: str,
        body: str,
        recipient_consent: Literal[True],
        from_: str | Unset | None = UNSET,
        metadata: Mapping[str, Any] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Sms:
        """Send a text.

        Responds once the text is queued. Follow the text with GET /v1/sms/{sms_id} or with the
        sms.* events. recipient_consent must be true: you confirm that the recipient agreed to be
        contacted.

        Args:
            to: A phone number with its country code, such as +1 415 555 0123; stored as E.164.
            recipient_consent: You confirm that you may lawfully contact the recipient. Must be
                true.
            from_: One of your active SMS numbers, or your custom sender id. Default: chosen for
                you.
            metadata: Your own data, stored with the record and included in its events that have a
                metadata field.
        """
        result: Sms = await self._transport.json(
            "POST",
            "/v1/sms",
            body={
                "to": to,
                "body": body,
                "recipient_consent": recipient_consent,
                "from": from_,
                "metadata": metadata,
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
        status: Literal["queued", "sent", "delivered", "undelivered", "failed", "received"] | Unset = UNSET,
        direction: Literal["outbound", "inbound"] | Unset = UNSET,
        to: str | Unset = UNSET,
        conversation_id: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[Sms]:
        """List texts, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            status: Only texts in this status.
            to: A phone number with its country code; encode + as %2B.
            conversation_id: Only texts of this conversation.
        """
        return AsyncList(
            self._transport,
            "/v1/sms",
            query={
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "direction": direction,
                "to": to,
                "conversation_id": conversation_id,
            },
            options=options,
        )

    async def wait(
        self,
        *,
        to: str | Unset = UNSET,
        from_: str | Unset = UNSET,
        since: str | Unset = UNSET,
        timeout_seconds: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> SmsWait:
        """Wait for an inbound text.

        Responds as soon as a text matches, including one that arrived after "since" and before this
        request. Returns null when the time is up.

        Args:
            to: Only texts to this number.
            from_: Only texts from this phone.
            since: Only texts received at or after this time. Default: the time of the request.
            timeout_seconds: Maximum time to wait.
        """
        result: SmsWait = await self._transport.json(
            "GET",
            "/v1/sms/wait",
            query={
                "to": to,
                "from": from_,
                "since": since,
                "timeout_seconds": timeout_seconds,
            },
            options=options,
        )
        return result

    async def get(
        self,
        sms_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Sms:
        """Read one text."""
        result: Sms = await self._transport.json(
            "GET",
            f"/v1/sms/{segment(sms_id)}",
            options=options,
        )
        return result

    async def get_sender_id(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> SmsSenderId:
        """Read the sender of your texts."""
        result: SmsSenderId = await self._transport.json(
            "GET",
            "/v1/sms/sender-id",
            options=options,
        )
        return result

    async def update_sender_id(
        self,
        *,
        custom_sender_id: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> SmsSenderId:
        """Set the sender of your texts.

        A custom sender id is used if the recipient’s country allows names as senders.
        """
        result: SmsSenderId = await self._transport.json(
            "PATCH",
            "/v1/sms/sender-id",
            body={
                "custom_sender_id": custom_sender_id,
            },
            options=options,
        )
        return result

    def list_suppressions(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[SmsSuppression]:
        """List suppressed phone numbers, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/sms/suppressions",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def create_suppression(
        self,
        *,
        recipient: str,
        options: RequestOptions | None = None,
    ) -> SmsSuppression:
        """Stop texts to a phone number.

        If the number is already suppressed, the existing entry is returned.

        Args:
            recipient: A phone number with its country code, such as +1 415 555 0123; stored as
                E.164.
        """
        result: SmsSuppression = await self._transport.json(
            "POST",
            "/v1/sms/suppressions",
            body={
                "recipient": recipient,
            },
            options=options,
        )
        return result

    async def delete_suppression_of(
        self,
        *,
        recipient: str,
        options: RequestOptions | None = None,
    ) -> None:
        """Allow texts to a phone number again, by number.

        Args:
            recipient: A phone number with its country code; encode + as %2B.
        """
        await self._transport.json(
            "DELETE",
            "/v1/sms/suppressions",
            query={
                "recipient": recipient,
            },
            options=options,
        )

    async def delete_suppression(
        self,
        sms_suppression_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Allow texts to a phone number again, by id."""
        await self._transport.json(
            "DELETE",
            f"/v1/sms/suppressions/{segment(sms_suppression_id)}",
            options=options,
        )
