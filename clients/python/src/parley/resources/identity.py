# Made by `npm run generate`; edits are lost.
"""The operations on `identity`."""

from __future__ import annotations


from parley._request import RequestOptions
from parley._transport import AsyncTransport, Transport
from parley.records import Identity


class IdentityResource:
    """The owner and the rights of your credential."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def whoami(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> Identity:
        """Get the owner of the credential.

        Works with every valid credential, regardless of its scopes.
        """
        result: Identity = self._transport.json(
            "GET",
            "/v1/whoami",
            options=options,
        )
        return result


class AsyncIdentityResource:
    """The owner and the rights of your credential."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def whoami(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> Identity:
        """Get the owner of the credential.

        Works with every valid credential, regardless of its scopes.
        """
        result: Identity = await self._transport.json(
            "GET",
            "/v1/whoami",
            options=options,
        )
        return result
