# Made by `npm run generate`; edits are lost.
"""The operations on `email_domains`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import EmailDomain


class EmailDomainsResource:
    """The domains you send from and receive at."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        kind: Literal["service_mail", "custom"],
        domain: str | Unset | None = UNSET,
        local_prefix_user: str | Unset | None = UNSET,
        local_prefix_org: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailDomain:
        """Add an email domain.

        service_mail creates an address from two prefixes immediately. custom returns the DNS
        records to publish before you call verify.

        Args:
            domain: For custom only: a domain you control.
            local_prefix_user: For service_mail only.
            local_prefix_org: For service_mail only. Default: the prefix set on the server; if
                another organization uses that address, a suffix derived from your organization id is
                added.
        """
        result: EmailDomain = self._transport.json(
            "POST",
            "/v1/email-domains",
            body={
                "kind": kind,
                "domain": domain,
                "local_prefix_user": local_prefix_user,
                "local_prefix_org": local_prefix_org,
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
    ) -> Page[EmailDomain]:
        """List email domains, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/email-domains",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def get(
        self,
        domain_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> EmailDomain:
        """Read one email domain."""
        result: EmailDomain = self._transport.json(
            "GET",
            f"/v1/email-domains/{segment(domain_id)}",
            options=options,
        )
        return result

    def update(
        self,
        domain_id: str,
        *,
        inbound_enabled: bool | Unset = UNSET,
        forward_to: Sequence[str] | Unset = UNSET,
        forward_rate_per_hour: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailDomain:
        """Change how a domain receives mail.

        Args:
            forward_to: The complete list of addresses, including pending ones. New addresses get a
                mail with a confirmation link.
            forward_rate_per_hour: At most PARLEY_FORWARD_PER_HOUR_MAX of the server.
        """
        result: EmailDomain = self._transport.json(
            "PATCH",
            f"/v1/email-domains/{segment(domain_id)}",
            body={
                "inbound_enabled": inbound_enabled,
                "forward_to": forward_to,
                "forward_rate_per_hour": forward_rate_per_hour,
            },
            options=options,
        )
        return result

    def delete(
        self,
        domain_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Remove an email domain."""
        self._transport.json(
            "DELETE",
            f"/v1/email-domains/{segment(domain_id)}",
            options=options,
        )

    def resend_forward_confirmation(
        self,
        domain_id: str,
        *,
        address: str,
        options: RequestOptions | None = None,
    ) -> EmailDomain:
        """Send the confirmation mail for a forward address again.

        Earlier links for the address stop working. At most three mails a day are sent to one
        address.

        Args:
            address: Exactly one address, with or without a display name: ana@example.com or Ana
                Sousa <ana@example.com>.
        """
        result: EmailDomain = self._transport.json(
            "POST",
            f"/v1/email-domains/{segment(domain_id)}/forward-confirmations",
            body={
                "address": address,
            },
            options=options,
        )
        return result

    def verify(
        self,
        domain_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> EmailDomain:
        """Check the DNS records of a domain now.

        Each record shows what was found. If DNS does not respond, nothing changes.
        """
        result: EmailDomain = self._transport.json(
            "POST",
            f"/v1/email-domains/{segment(domain_id)}/verify",
            options=options,
        )
        return result


class AsyncEmailDomainsResource:
    """The domains you send from and receive at."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        kind: Literal["service_mail", "custom"],
        domain: str | Unset | None = UNSET,
        local_prefix_user: str | Unset | None = UNSET,
        local_prefix_org: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailDomain:
        """Add an email domain.

        service_mail creates an address from two prefixes immediately. custom returns the DNS
        records to publish before you call verify.

        Args:
            domain: For custom only: a domain you control.
            local_prefix_user: For service_mail only.
            local_prefix_org: For service_mail only. Default: the prefix set on the server; if
                another organization uses that address, a suffix derived from your organization id is
                added.
        """
        result: EmailDomain = await self._transport.json(
            "POST",
            "/v1/email-domains",
            body={
                "kind": kind,
                "domain": domain,
                "local_prefix_user": local_prefix_user,
                "local_prefix_org": local_prefix_org,
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
    ) -> AsyncList[EmailDomain]:
        """List email domains, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/email-domains",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def get(
        self,
        domain_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> EmailDomain:
        """Read one email domain."""
        result: EmailDomain = await self._transport.json(
            "GET",
            f"/v1/email-domains/{segment(domain_id)}",
            options=options,
        )
        return result

    async def update(
        self,
        domain_id: str,
        *,
        inbound_enabled: bool | Unset = UNSET,
        forward_to: Sequence[str] | Unset = UNSET,
        forward_rate_per_hour: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> EmailDomain:
        """Change how a domain receives mail.

        Args:
            forward_to: The complete list of addresses, including pending ones. New addresses get a
                mail with a confirmation link.
            forward_rate_per_hour: At most PARLEY_FORWARD_PER_HOUR_MAX of the server.
        """
        result: EmailDomain = await self._transport.json(
            "PATCH",
            f"/v1/email-domains/{segment(domain_id)}",
            body={
                "inbound_enabled": inbound_enabled,
                "forward_to": forward_to,
                "forward_rate_per_hour": forward_rate_per_hour,
            },
            options=options,
        )
        return result

    async def delete(
        self,
        domain_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Remove an email domain."""
        await self._transport.json(
            "DELETE",
            f"/v1/email-domains/{segment(domain_id)}",
            options=options,
        )

    async def resend_forward_confirmation(
        self,
        domain_id: str,
        *,
        address: str,
        options: RequestOptions | None = None,
    ) -> EmailDomain:
        """Send the confirmation mail for a forward address again.

        Earlier links for the address stop working. At most three mails a day are sent to one
        address.

        Args:
            address: Exactly one address, with or without a display name: ana@example.com or Ana
                Sousa <ana@example.com>.
        """
        result: EmailDomain = await self._transport.json(
            "POST",
            f"/v1/email-domains/{segment(domain_id)}/forward-confirmations",
            body={
                "address": address,
            },
            options=options,
        )
        return result

    async def verify(
        self,
        domain_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> EmailDomain:
        """Check the DNS records of a domain now.

        Each record shows what was found. If DNS does not respond, nothing changes.
        """
        result: EmailDomain = await self._transport.json(
            "POST",
            f"/v1/email-domains/{segment(domain_id)}/verify",
            options=options,
        )
        return result
