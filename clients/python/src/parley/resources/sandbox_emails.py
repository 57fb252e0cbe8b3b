# Made by `npm run generate`; edits are lost.
"""The operations on `sandbox_emails`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parley._request import RequestOptions, UNSET, Unset
from parley._transport import AsyncTransport, Transport
from parley.records import Email, SandboxInboundEmailAttachments, SandboxInboundEmailVerdicts


class SandboxEmailsResource:
    """Simulate another mail server; only with the sandbox on."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def receive(
        self,
        *,
        raw: str | Unset = UNSET,
        from_: str | Unset = UNSET,
        to: Sequence[str] | Unset = UNSET,
        cc: Sequence[str] | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        body_text: str | Unset = UNSET,
        body_html: str | Unset = UNSET,
        message_id: str | Unset = UNSET,
        in_reply_to: str | Unset = UNSET,
        headers: Mapping[str, str] | Unset = UNSET,
        attachments: Sequence[SandboxInboundEmailAttachments] | Unset = UNSET,
        verdicts: SandboxInboundEmailVerdicts | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Email:
        """Simulate an inbound email.

        Args:
            raw: The whole message as a mail server would send it (RFC 5322), instead of the fields
                below.
            from_: The sender. Default: somebody@example.org.
            to: Your addresses that receive the message. Default: the addresses in `To` and `Cc` of
                `raw`; without `raw`, your default address.
            text: The plain text of the message.
            html: The HTML of the message.
            body_text: Another name for `text`.
            body_html: Another name for `html`.
            message_id: Default: generated.
            in_reply_to: The Message-ID of the email that this one replies to.
            verdicts: The results of the checks. Default: spam and virus as reported by the
                scanners; DISABLED for the others, because there is no sending server to check.
        """
        result: Email = self._transport.json(
            "POST",
            "/v1/sandbox/inbound-emails",
            body={
                "raw": raw,
                "from": from_,
                "to": to,
                "cc": cc,
                "subject": subject,
                "text": text,
                "html": html,
                "body_text": body_text,
                "body_html": body_html,
                "message_id": message_id,
                "in_reply_to": in_reply_to,
                "headers": headers,
                "attachments": attachments,
                "verdicts": verdicts,
            },
            options=options,
        )
        return result


class AsyncSandboxEmailsResource:
    """Simulate another mail server; only with the sandbox on."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def receive(
        self,
        *,
        raw: str | Unset = UNSET,
        from_: str | Unset = UNSET,
        to: Sequence[str] | Unset = UNSET,
        cc: Sequence[str] | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        body_text: str | Unset = UNSET,
        body_html: str | Unset = UNSET,
        message_id: str | Unset = UNSET,
        in_reply_to: str | Unset = UNSET,
        headers: Mapping[str, str] | Unset = UNSET,
        attachments: Sequence[SandboxInboundEmailAttachments] | Unset = UNSET,
        verdicts: SandboxInboundEmailVerdicts | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Email:
        """Simulate an inbound email.

        Args:
            raw: The whole message as a mail server would send it (RFC 5322), instead of the fields
                below.
            from_: The sender. Default: somebody@example.org.
            to: Your addresses that receive the message. Default: the addresses in `To` and `Cc` of
                `raw`; without `raw`, your default address.
            text: The plain text of the message.
            html: The HTML of the message.
            body_text: Another name for `text`.
            body_html: Another name for `html`.
            message_id: Default: generated.
            in_reply_to: The Message-ID of the email that this one replies to.
            verdicts: The results of the checks. Default: spam and virus as reported by the
                scanners; DISABLED for the others, because there is no sending server to check.
        """
        result: Email = await self._transport.json(
            "POST",
            "/v1/sandbox/inbound-emails",
            body={
                "raw": raw,
                "from": from_,
                "to": to,
                "cc": cc,
                "subject": subject,
                "text": text,
                "html": html,
                "body_text": body_text,
                "body_html": body_html,
                "message_id": message_id,
                "in_reply_to": in_reply_to,
                "headers": headers,
                "attachments": attachments,
                "verdicts": verdicts,
            },
            options=options,
        )
        return result
