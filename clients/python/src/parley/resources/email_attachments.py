# Made by `npm run generate`; edits are lost.
"""The operations on `email_attachments`."""

from __future__ import annotations


from parley._request import FileContent, RequestOptions, read_file
from parley._transport import AsyncTransport, Transport
from parley.records import EmailAttachmentUpload


class EmailAttachmentsResource:
    """Files to attach to emails."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upload(
        self,
        file: FileContent,
        *,
        filename: str,
        content_type: str = "application/octet-stream",
        options: RequestOptions | None = None,
    ) -> EmailAttachmentUpload:
        """Upload a file to attach to emails.

        Send one or more parts named "file". The id can be used in many emails.
        """
        result: EmailAttachmentUpload = self._transport.json(
            "POST",
            "/v1/email-attachments",
            files={"file": (filename, read_file(file), content_type)},
            options=options,
        )
        return result


class AsyncEmailAttachmentsResource:
    """Files to attach to emails."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def upload(
        self,
        file: FileContent,
        *,
        filename: str,
        content_type: str = "application/octet-stream",
        options: RequestOptions | None = None,
    ) -> EmailAttachmentUpload:
        """Upload a file to attach to emails.

        Send one or more parts named "file". The id can be used in many emails.
        """
        result: EmailAttachmentUpload = await self._transport.json(
            "POST",
            "/v1/email-attachments",
            files={"file": (filename, read_file(file), content_type)},
            options=options,
        )
        return result
