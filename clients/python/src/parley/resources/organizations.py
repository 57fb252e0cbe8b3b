# Made by `npm run generate`; edits are lost.
"""The operations on `organizations`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import Member, NewApiKey, NewInvitation, Organization, OrganizationPatchVelocityCaps, PasswordLink, User


class OrganizationsResource:
    """Organizations; superadmins only."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        name: str,
        origin: Literal["human", "agent"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Organization:
        """Create an organization.

        Managed mode only: 404 if the shared key is the only credential.

        Args:
            origin: Default: human.
        """
        result: Organization = self._transport.json(
            "POST",
            "/v1/admin/organizations",
            body={
                "name": name,
                "origin": origin,
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
    ) -> Page[Organization]:
        """List organizations, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/admin/organizations",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def get(
        self,
        organization_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Organization:
        """Read one organization."""
        result: Organization = self._transport.json(
            "GET",
            f"/v1/admin/organizations/{segment(organization_id)}",
            options=options,
        )
        return result

    def update(
        self,
        organization_id: str,
        *,
        name: str | Unset = UNSET,
        origin: Literal["human", "agent"] | Unset = UNSET,
        velocity_caps: OrganizationPatchVelocityCaps | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Organization:
        """Change an organization, its origin or its caps.

        Args:
            origin: agent: created by or for a program; its calls, emails and texts have an hourly
                cap.
        """
        result: Organization = self._transport.json(
            "PATCH",
            f"/v1/admin/organizations/{segment(organization_id)}",
            body={
                "name": name,
                "origin": origin,
                "velocity_caps": velocity_caps,
            },
            options=options,
        )
        return result

    def list_members(
        self,
        organization_id: str,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[Member]:
        """List the members of an organization.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            f"/v1/admin/organizations/{segment(organization_id)}/members",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def add_member(
        self,
        organization_id: str,
        *,
        email: str,
        name: str,
        role: Literal["owner", "admin", "member"] | Unset = UNSET,
        external_subject: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Member:
        """Add a person as a member.

        A person whose address is unknown gets an account without a password. With external_subject
        the person gets a separate account, even if another account has the same address.

        Args:
            email: One email address, without a display name.
            role: Default: member.
            external_subject: The sub claim of this person at the configured JWT issuer.
        """
        result: Member = self._transport.json(
            "POST",
            f"/v1/admin/organizations/{segment(organization_id)}/members",
            body={
                "email": email,
                "name": name,
                "role": role,
                "external_subject": external_subject,
            },
            options=options,
        )
        return result

    def remove_member(
        self,
        organization_id: str,
        member_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Remove a member."""
        self._transport.json(
            "DELETE",
            f"/v1/admin/organizations/{segment(organization_id)}/members/{segment(member_id)}",
            options=options,
        )

    def invite(
        self,
        organization_id: str,
        *,
        email: str,
        role: Literal["owner", "admin", "member"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> NewInvitation:
        """Invite a person to an organization.

        Args:
            email: One email address, without a display name.
            role: Default: member.
        """
        result: NewInvitation = self._transport.json(
            "POST",
            f"/v1/admin/organizations/{segment(organization_id)}/invitations",
            body={
                "email": email,
                "role": role,
            },
            options=options,
        )
        return result

    def create_api_key(
        self,
        organization_id: str,
        *,
        user_id: str,
        name: str,
        scopes: Sequence[str] | Unset = UNSET,
        expires_at: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> NewApiKey:
        """Create a key for a member.

        Args:
            user_id: A member of the organization.
            name: What the key is for.
            scopes: What the key may do. Default: *. A key cannot have more scopes than the
                credential that creates it. Only the shared key and a recent console session of a
                superadmin can grant admin.
            expires_at: When the key stops working. Default: never. It cannot be later than the
                expiry of the credential that creates the key.
        """
        result: NewApiKey = self._transport.json(
            "POST",
            f"/v1/admin/organizations/{segment(organization_id)}/api-keys",
            body={
                "user_id": user_id,
                "name": name,
                "scopes": scopes,
                "expires_at": expires_at,
            },
            options=options,
        )
        return result

    def create_password_link(
        self,
        user_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> PasswordLink:
        """Create a link with which a person sets a new password.

        The link works once, for an hour. Using it signs the person out everywhere.
        """
        result: PasswordLink = self._transport.json(
            "POST",
            f"/v1/admin/users/{segment(user_id)}/password-links",
            options=options,
        )
        return result

    def update_user(
        self,
        user_id: str,
        *,
        superadmin: bool,
        options: RequestOptions | None = None,
    ) -> User:
        """Make a person a superadmin, or remove that role.

        Making a person a superadmin needs the shared key or a recent console session. The rights
        apply only to their own recent console sessions and to keys with the scope admin, not to
        their other keys and tokens.
        """
        result: User = self._transport.json(
            "PATCH",
            f"/v1/admin/users/{segment(user_id)}",
            body={
                "superadmin": superadmin,
            },
            options=options,
        )
        return result


class AsyncOrganizationsResource:
    """Organizations; superadmins only."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        origin: Literal["human", "agent"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Organization:
        """Create an organization.

        Managed mode only: 404 if the shared key is the only credential.

        Args:
            origin: Default: human.
        """
        result: Organization = await self._transport.json(
            "POST",
            "/v1/admin/organizations",
            body={
                "name": name,
                "origin": origin,
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
    ) -> AsyncList[Organization]:
        """List organizations, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/admin/organizations",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def get(
        self,
        organization_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Organization:
        """Read one organization."""
        result: Organization = await self._transport.json(
            "GET",
            f"/v1/admin/organizations/{segment(organization_id)}",
            options=options,
        )
        return result

    async def update(
        self,
        organization_id: str,
        *,
        name: str | Unset = UNSET,
        origin: Literal["human", "agent"] | Unset = UNSET,
        velocity_caps: OrganizationPatchVelocityCaps | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Organization:
        """Change an organization, its origin or its caps.

        Args:
            origin: agent: created by or for a program; its calls, emails and texts have an hourly
                cap.
        """
        result: Organization = await self._transport.json(
            "PATCH",
            f"/v1/admin/organizations/{segment(organization_id)}",
            body={
                "name": name,
                "origin": origin,
                "velocity_caps": velocity_caps,
            },
            options=options,
        )
        return result

    def list_members(
        self,
        organization_id: str,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[Member]:
        """List the members of an organization.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            f"/v1/admin/organizations/{segment(organization_id)}/members",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def add_member(
        self,
        organization_id: str,
        *,
        email: str,
        name: str,
        role: Literal["owner", "admin", "member"] | Unset = UNSET,
        external_subject: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Member:
        """Add a person as a member.

        A person whose address is unknown gets an account without a password. With external_subject
        the person gets a separate account, even if another account has the same address.

        Args:
            email: One email address, without a display name.
            role: Default: member.
            external_subject: The sub claim of this person at the configured JWT issuer.
        """
        result: Member = await self._transport.json(
            "POST",
            f"/v1/admin/organizations/{segment(organization_id)}/members",
            body={
                "email": email,
                "name": name,
                "role": role,
                "external_subject": external_subject,
            },
            options=options,
        )
        return result

    async def remove_member(
        self,
        organization_id: str,
        member_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Remove a member."""
        await self._transport.json(
            "DELETE",
            f"/v1/admin/organizations/{segment(organization_id)}/members/{segment(member_id)}",
            options=options,
        )

    async def invite(
        self,
        organization_id: str,
        *,
        email: str,
        role: Literal["owner", "admin", "member"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> NewInvitation:
        """Invite a person to an organization.

        Args:
            email: One email address, without a display name.
            role: Default: member.
        """
        result: NewInvitation = await self._transport.json(
            "POST",
            f"/v1/admin/organizations/{segment(organization_id)}/invitations",
            body={
                "email": email,
                "role": role,
            },
            options=options,
        )
        return result

    async def create_api_key(
        self,
        organization_id: str,
        *,
        user_id: str,
        name: str,
        scopes: Sequence[str] | Unset = UNSET,
        expires_at: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> NewApiKey:
        """Create a key for a member.

        Args:
            user_id: A member of the organization.
            name: What the key is for.
            scopes: What the key may do. Default: *. A key cannot have more scopes than the
                credential that creates it. Only the shared key and a recent console session of a
                superadmin can grant admin.
            expires_at: When the key stops working. Default: never. It cannot be later than the
                expiry of the credential that creates the key.
        """
        result: NewApiKey = await self._transport.json(
            "POST",
            f"/v1/admin/organizations/{segment(organization_id)}/api-keys",
            body={
                "user_id": user_id,
                "name": name,
                "scopes": scopes,
                "expires_at": expires_at,
            },
            options=options,
        )
        return result

    async def create_password_link(
        self,
        user_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> PasswordLink:
        """Create a link with which a person sets a new password.

        The link works once, for an hour. Using it signs the person out everywhere.
        """
        result: PasswordLink = await self._transport.json(
            "POST",
            f"/v1/admin/users/{segment(user_id)}/password-links",
            options=options,
        )
        return result

    async def update_user(
        self,
        user_id: str,
        *,
        superadmin: bool,
        options: RequestOptions | None = None,
    ) -> User:
        """Make a person a superadmin, or remove that role.

        Making a person a superadmin needs the shared key or a recent console session. The rights
        apply only to their own recent console sessions and to keys with the scope admin, not to
        their other keys and tokens.
        """
        result: User = await self._transport.json(
            "PATCH",
            f"/v1/admin/users/{segment(user_id)}",
            body={
                "superadmin": superadmin,
            },
            options=options,
        )
        return result
