# Made by `npm run generate`; edits are lost.
"""The operations on `emails`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import Email, EmailListItem, EmailPreview, EmailStatistics, EmailTimelineEntry, EmailWait, Location


class EmailsResource:
    """Send and read email."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        recipient_consent: Literal[True],
        to: Sequence[str],
        subject: str,
        cc: Sequence[str] | Unset | None = UNSET,
        bcc: Sequence[str] | Unset | None = UNSET,
        from_: str | Unset | None = UNSET,
        email_domain_id: str | Unset | None = UNSET,
        reply_to: str | Unset | None = UNSET,
        in_reply_to: str | Unset | None = UNSET,
        from_name: str | Unset | None = UNSET,
        body_text: str | Unset | None = UNSET,
        body_html: str | Unset | None = UNSET,
        headers: Mapping[str, str] | Unset | None = UNSET,
        metadata: Mapping[str, Any] | Unset | None = UNSET,
        attachment_ids: Sequence[str] | Unset | None = UNSET,
        track_opens: bool | Unset | None = UNSET,
        track_clicks: bool | Unset | None = UNSET,
        list_unsubscribe: bool | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Email:
        """Send an email.

        Responds when the mail transport has accepted the message (201, sent) or rejected it (502).
        A failed email is stored and listed with status failed. With the code email_unconfirmed the
        message may have been delivered: do not send it again before GET /v1/emails/{email_id} shows
        its final status.

        Args:
            recipient_consent: You confirm that you may lawfully contact the recipient. Must be
                true.
            from_: An address on one of your verified domains. Default: the default address of the
                newest one.
            email_domain_id: Send from the default address of this domain.
            in_reply_to: The id of one of your emails, or any Message-ID, that this email replies
                to.
            from_name: The display name of the sender.
            body_text: Plain text. Default: generated from body_html.
            attachment_ids: Ids of uploaded files; see POST /v1/email-attachments.
            track_opens: Default: true for emails with an HTML body.
            track_clicks: Default: true for emails with an HTML body.
            list_unsubscribe: Adds one-click unsubscribe (RFC 8058); needs exactly one recipient.
        """
        result: Email = self._transport.json(
            "POST",
            "/v1/emails",
            body={
                "recipient_consent": recipient_consent,
                "to": to,
                "subject": subject,
                "cc": cc,
                "bcc": bcc,
                "from": from_,
                "email_domain_id": email_domain_id,
                "reply_to": reply_to,
                "in_reply_to": in_reply_to,
                "from_name": from_name,
                "body_text": body_text,
                "body_html": body_html,
                "headers": headers,
                "metadata": metadata,
                "attachment_ids": attachment_ids,
                "track_opens": track_opens,
                "track_clicks": track_clicks,
                "list_unsubscribe": list_unsubscribe,
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
        status: Literal["queued", "sent", "failed", "bounced", "complained", "received"] | Unset = UNSET,
        direction: Literal["outbound", "inbound"] | Unset = UNSET,
        conversation_id: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[EmailListItem]:
        """List emails, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            conversation_id: A UUID.
        """
        return Page.first(
            self._transport,
            "/v1/emails",
            query={
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "direction": direction,
                "conversation_id": conversation_id,
            },
            options=options,
        )

    def stats(
        self,
        *,
        from_: str | Unset = UNSET,
        to: str | Unset = UNSET,
        bucket: Literal["hour", "day"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailStatistics:
        """Count emails by outcome.

        Every bucket between from and to is present, in UTC. At most 366 days by day and 31 days by
        hour. Default: the last 30 days. If from equals to, there is no bucket and all counts are 0.

        Args:
            from_: Start of the range (inclusive).
            to: End of the range (exclusive). Default: now.
        """
        result: EmailStatistics = self._transport.json(
            "GET",
            "/v1/emails/stats",
            query={
                "from": from_,
                "to": to,
                "bucket": bucket,
            },
            options=options,
        )
        return result

    def wait(
        self,
        *,
        to: str | Unset = UNSET,
        from_: str | Unset = UNSET,
        conversation_id: str | Unset = UNSET,
        view: Literal["full", "text"] | Unset = UNSET,
        since: str | Unset = UNSET,
        timeout_seconds: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailWait:
        """Wait for an inbound email.

        Responds as soon as an email matches, including one that arrived after "since" and before
        this request. Returns null when the time is up.

        Args:
            to: Only emails to this address.
            from_: Only emails from this address.
            conversation_id: A UUID.
            view: text: body_html is left out, and body_text contains the readable text of an email
                that has only HTML, without markup and hidden text. Default: full.
            since: Only emails received at or after this time. Default: the time of the request.
            timeout_seconds: Maximum time to wait.
        """
        result: EmailWait = self._transport.json(
            "GET",
            "/v1/emails/wait",
            query={
                "to": to,
                "from": from_,
                "conversation_id": conversation_id,
                "view": view,
                "since": since,
                "timeout_seconds": timeout_seconds,
            },
            options=options,
        )
        return result

    def get(
        self,
        email_id: str,
        *,
        view: Literal["full", "text"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Email:
        """Read one email.

        Args:
            view: text: body_html is left out, and body_text contains the readable text of an email
                that has only HTML, without markup and hidden text. Default: full.
        """
        result: Email = self._transport.json(
            "GET",
            f"/v1/emails/{segment(email_id)}",
            query={
                "view": view,
            },
            options=options,
        )
        return result

    def reply(
        self,
        email_id: str,
        *,
        recipient_consent: Literal[True],
        reply_all: bool | Unset | None = UNSET,
        cc: Sequence[str] | Unset | None = UNSET,
        bcc: Sequence[str] | Unset | None = UNSET,
        subject: str | Unset | None = UNSET,
        reply_to: str | Unset | None = UNSET,
        from_name: str | Unset | None = UNSET,
        body_text: str | Unset | None = UNSET,
        body_html: str | Unset | None = UNSET,
        headers: Mapping[str, str] | Unset | None = UNSET,
        metadata: Mapping[str, Any] | Unset | None = UNSET,
        attachment_ids: Sequence[str] | Unset | None = UNSET,
        track_opens: bool | Unset | None = UNSET,
        track_clicks: bool | Unset | None = UNSET,
        list_unsubscribe: bool | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Email:
        """Reply to an email in its conversation.

        Sent to the sender of the email (for one of your own emails: to its recipients), with
        In-Reply-To and References set.

        Args:
            recipient_consent: You confirm that you may lawfully contact the recipient. Must be
                true.
            reply_all: Also send to all other recipients of the email.
            subject: Default: "Re: " and the subject of the email.
            from_name: The display name of the sender.
            body_text: Plain text. Default: generated from body_html.
            attachment_ids: Ids of uploaded files; see POST /v1/email-attachments.
            track_opens: Default: true for emails with an HTML body.
            track_clicks: Default: true for emails with an HTML body.
            list_unsubscribe: Adds one-click unsubscribe (RFC 8058); needs exactly one recipient.
        """
        result: Email = self._transport.json(
            "POST",
            f"/v1/emails/{segment(email_id)}/reply",
            body={
                "recipient_consent": recipient_consent,
                "reply_all": reply_all,
                "cc": cc,
                "bcc": bcc,
                "subject": subject,
                "reply_to": reply_to,
                "from_name": from_name,
                "body_text": body_text,
                "body_html": body_html,
                "headers": headers,
                "metadata": metadata,
                "attachment_ids": attachment_ids,
                "track_opens": track_opens,
                "track_clicks": track_clicks,
                "list_unsubscribe": list_unsubscribe,
            },
            is_idempotent=True,
            options=options,
        )
        return result

    def events(
        self,
        email_id: str,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[EmailTimelineEntry]:
        """List the timeline of an email, oldest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            f"/v1/emails/{segment(email_id)}/events",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def preview(
        self,
        email_id: str,
        *,
        remote_images: Literal["true", "false"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailPreview:
        """Get a URL that shows the HTML body safely.

        For a frame in your own page: scripts cannot run, and nothing is loaded from other servers
        unless remote_images is true. The URL works for a few minutes and needs no credential.

        Args:
            remote_images: Whether images are loaded from other servers, which can show the sender
                that the email was opened. Default: false.
        """
        result: EmailPreview = self._transport.json(
            "GET",
            f"/v1/emails/{segment(email_id)}/preview",
            query={
                "remote_images": remote_images,
            },
            options=options,
        )
        return result

    def raw(
        self,
        email_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Location:
        """Download the raw message."""
        result: Location = self._transport.json(
            "GET",
            f"/v1/emails/{segment(email_id)}/raw",
            options=options,
        )
        return result

    def attachment(
        self,
        email_id: str,
        attachment_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Location:
        """Download an attachment of an email, or an unreadable report from its timeline."""
        result: Location = self._transport.json(
            "GET",
            f"/v1/emails/{segment(email_id)}/attachments/{segment(attachment_id)}",
            options=options,
        )
        return result


class AsyncEmailsResource:
    """Send and read email."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        recipient_consent: Literal[True],
        to: Sequence[str],
        subject: str,
        cc: Sequence[str] | Unset | None = UNSET,
        bcc: Sequence[str] | Unset | None = UNSET,
        from_: str | Unset | None = UNSET,
        email_domain_id: str | Unset | None = UNSET,
        reply_to: str | Unset | None = UNSET,
        in_reply_to: str | Unset | None = UNSET,
        from_name: str | Unset | None = UNSET,
        body_text: str | Unset | None = UNSET,
        body_html: str | Unset | None = UNSET,
        headers: Mapping[str, str] | Unset | None = UNSET,
        metadata: Mapping[str, Any] | Unset | None = UNSET,
        attachment_ids: Sequence[str] | Unset | None = UNSET,
        track_opens: bool | Unset | None = UNSET,
        track_clicks: bool | Unset | None = UNSET,
        list_unsubscribe: bool | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Email:
        """Send an email.

        Responds when the mail transport has accepted the message (201, sent) or rejected it (502).
        A failed email is stored and listed with status failed. With the code email_unconfirmed the
        message may have been delivered: do not send it again before GET /v1/emails/{email_id} shows
        its final status.

        Args:
            recipient_consent: You confirm that you may lawfully contact the recipient. Must be
                true.
            from_: An address on one of your verified domains. Default: the default address of the
                newest one.
            email_domain_id: Send from the default address of this domain.
            in_reply_to: The id of one of your emails, or any Message-ID, that this email replies
                to.
            from_name: The display name of the sender.
            body_text: Plain text. Default: generated from body_html.
            attachment_ids: Ids of uploaded files; see POST /v1/email-attachments.
            track_opens: Default: true for emails with an HTML body.
            track_clicks: Default: true for emails with an HTML body.
            list_unsubscribe: Adds one-click unsubscribe (RFC 8058); needs exactly one recipient.
        """
        result: Email = await self._transport.json(
            "POST",
            "/v1/emails",
            body={
                "recipient_consent": recipient_consent,
                "to": to,
                "subject": subject,
                "cc": cc,
                "bcc": bcc,
                "from": from_,
                "email_domain_id": email_domain_id,
                "reply_to": reply_to,
                "in_reply_to": in_reply_to,
                "from_name": from_name,
                "body_text": body_text,
                "body_html": body_html,
                "headers": headers,
                "metadata": metadata,
                "attachment_ids": attachment_ids,
                "track_opens": track_opens,
                "track_clicks": track_clicks,
                "list_unsubscribe": list_unsubscribe,
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
        status: Literal["queued", "sent", "failed", "bounced", "complained", "received"] | Unset = UNSET,
        direction: Literal["outbound", "inbound"] | Unset = UNSET,
        conversation_id: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[EmailListItem]:
        """List emails, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            conversation_id: A UUID.
        """
        return AsyncList(
            self._transport,
            "/v1/emails",
            query={
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "direction": direction,
                "conversation_id": conversation_id,
            },
            options=options,
        )

    async def stats(
        self,
        *,
        from_: str | Unset = UNSET,
        to: str | Unset = UNSET,
        bucket: Literal["hour", "day"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailStatistics:
        """Count emails by outcome.

        Every bucket between from and to is present, in UTC. At most 366 days by day and 31 days by
        hour. Default: the last 30 days. If from equals to, there is no bucket and all counts are 0.

        Args:
            from_: Start of the range (inclusive).
            to: End of the range (exclusive). Default: now.
        """
        result: EmailStatistics = await self._transport.json(
            "GET",
            "/v1/emails/stats",
            query={
                "from": from_,
                "to": to,
                "bucket": bucket,
            },
            options=options,
        )
        return result

    async def wait(
        self,
        *,
        to: str | Unset = UNSET,
        from_: str | Unset = UNSET,
        conversation_id: str | Unset = UNSET,
        view: Literal["full", "text"] | Unset = UNSET,
        since: str | Unset = UNSET,
        timeout_seconds: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailWait:
        """Wait for an inbound email.

        Responds as soon as an email matches, including one that arrived after "since" and before
        this request. Returns null when the time is up.

        Args:
            to: Only emails to this address.
            from_: Only emails from this address.
            conversation_id: A UUID.
            view: text: body_html is left out, and body_text contains the readable text of an email
                that has only HTML, without markup and hidden text. Default: full.
            since: Only emails received at or after this time. Default: the time of the request.
            timeout_seconds: Maximum time to wait.
        """
        result: EmailWait = await self._transport.json(
            "GET",
            "/v1/emails/wait",
            query={
                "to": to,
                "from": from_,
                "conversation_id": conversation_id,
                "view": view,
                "since": since,
                "timeout_seconds": timeout_seconds,
            },
            options=options,
        )
        return result

    async def get(
        self,
        email_id: str,
        *,
        view: Literal["full", "text"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Email:
        """Read one email.

        Args:
            view: text: body_html is left out, and body_text contains the readable text of an email
                that has only HTML, without markup and hidden text. Default: full.
        """
        result: Email = await self._transport.json(
            "GET",
            f"/v1/emails/{segment(email_id)}",
            query={
                "view": view,
            },
            options=options,
        )
        return result

    async def reply(
        self,
        email_id: str,
        *,
        recipient_consent: Literal[True],
        reply_all: bool | Unset | None = UNSET,
        cc: Sequence[str] | Unset | None = UNSET,
        bcc: Sequence[str] | Unset | None = UNSET,
        subject: str | Unset | None = UNSET,
        reply_to: str | Unset | None = UNSET,
        from_name: str | Unset | None = UNSET,
        body_text: str | Unset | None = UNSET,
        body_html: str | Unset | None = UNSET,
        headers: Mapping[str, str] | Unset | None = UNSET,
        metadata: Mapping[str, Any] | Unset | None = UNSET,
        attachment_ids: Sequence[str] | Unset | None = UNSET,
        track_opens: bool | Unset | None = UNSET,
        track_clicks: bool | Unset | None = UNSET,
        list_unsubscribe: bool | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Email:
        """Reply to an email in its conversation.

        Sent to the sender of the email (for one of your own emails: to its recipients), with
        In-Reply-To and References set.

        Args:
            recipient_consent: You confirm that you may lawfully contact the recipient. Must be
                true.
            reply_all: Also send to all other recipients of the email.
            subject: Default: "Re: " and the subject of the email.
            from_name: The display name of the sender.
            body_text: Plain text. Default: generated from body_html.
            attachment_ids: Ids of uploaded files; see POST /v1/email-attachments.
            track_opens: Default: true for emails with an HTML body.
            track_clicks: Default: true for emails with an HTML body.
            list_unsubscribe: Adds one-click unsubscribe (RFC 8058); needs exactly one recipient.
        """
        result: Email = await self._transport.json(
            "POST",
            f"/v1/emails/{segment(email_id)}/reply",
            body={
                "recipient_consent": recipient_consent,
                "reply_all": reply_all,
                "cc": cc,
                "bcc": bcc,
                "subject": subject,
                "reply_to": reply_to,
                "from_name": from_name,
                "body_text": body_text,
                "body_html": body_html,
                "headers": headers,
                "metadata": metadata,
                "attachment_ids": attachment_ids,
                "track_opens": track_opens,
                "track_clicks": track_clicks,
                "list_unsubscribe": list_unsubscribe,
            },
            is_idempotent=True,
            options=options,
        )
        return result

    def events(
        self,
        email_id: str,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[EmailTimelineEntry]:
        """List the timeline of an email, oldest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            f"/v1/emails/{segment(email_id)}/events",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def preview(
        self,
        email_id: str,
        *,
        remote_images: Literal["true", "false"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailPreview:
        """Get a URL that shows the HTML body safely.

        For a frame in your own page: scripts cannot run, and nothing is loaded from other servers
        unless remote_images is true. The URL works for a few minutes and needs no credential.

        Args:
            remote_images: Whether images are loaded from other servers, which can show the sender
                that the email was opened. Default: false.
        """
        result: EmailPreview = await self._transport.json(
            "GET",
            f"/v1/emails/{segment(email_id)}/preview",
            query={
                "remote_images": remote_images,
            },
            options=options,
        )
        return result

    async def raw(
        self,
        email_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Location:
        """Download the raw message."""
        result: Location = await self._transport.json(
            "GET",
            f"/v1/emails/{segment(email_id)}/raw",
            options=options,
        )
        return result

    async def attachment(
        self,
        email_id: str,
        attachment_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Location:
        """Download an attachment of an email, or an unreadable report from its timeline."""
        result: Location = await self._transport.json(
            "GET",
            f"/v1/emails/{segment(email_id)}/attachments/{segment(attachment_id)}",
            options=options,
        )
        return result
