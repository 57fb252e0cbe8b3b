# Made by `npm run generate`; edits are lost.
"""The operations on `providers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import ProviderConfiguration, ProviderConfigurationList, ProviderTest


class ProvidersResource:
    """Your own LLM, speech-to-text and text-to-speech providers."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> ProviderConfigurationList:
        """List configured and available providers."""
        result: ProviderConfigurationList = self._transport.json(
            "GET",
            "/v1/providers",
            options=options,
        )
        return result

    def set(
        self,
        layer: str,
        *,
        provider: str,
        api_key: str,
        params: Mapping[str, Any] | Unset = UNSET,
        fallback_enabled: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> ProviderConfiguration:
        """Set a provider and its key.

        The first provider of a layer becomes active. Others stay inactive until you activate them.

        Args:
            provider: The provider; GET /v1/providers lists the available ones.
            api_key: Stored encrypted and never returned.
            params: Settings of the provider, such as model or base_url.
            fallback_enabled: Default: false.
        """
        result: ProviderConfiguration = self._transport.json(
            "PUT",
            f"/v1/providers/{segment(layer)}",
            body={
                "provider": provider,
                "api_key": api_key,
                "params": params,
                "fallback_enabled": fallback_enabled,
            },
            options=options,
        )
        return result

    def activate(
        self,
        layer: str,
        *,
        provider: str,
        options: RequestOptions | None = None,
    ) -> ProviderConfiguration:
        """Make a provider the active one of its layer.

        Args:
            provider: The provider; GET /v1/providers lists the available ones.
        """
        result: ProviderConfiguration = self._transport.json(
            "POST",
            f"/v1/providers/{segment(layer)}/activate",
            body={
                "provider": provider,
            },
            options=options,
        )
        return result

    def test(
        self,
        layer: str,
        *,
        provider: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> ProviderTest:
        """Check whether the provider accepts the key.

        Without a provider, the active one of the layer is checked.

        Args:
            provider: The provider; GET /v1/providers lists the available ones.
        """
        result: ProviderTest = self._transport.json(
            "POST",
            f"/v1/providers/{segment(layer)}/test",
            body={
                "provider": provider,
            },
            options=options,
        )
        return result

    def remove(
        self,
        layer: str,
        provider: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete a provider and its key."""
        self._transport.json(
            "DELETE",
            f"/v1/providers/{segment(layer)}/{segment(provider)}",
            options=options,
        )


class AsyncProvidersResource:
    """Your own LLM, speech-to-text and text-to-speech providers."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> ProviderConfigurationList:
        """List configured and available providers."""
        result: ProviderConfigurationList = await self._transport.json(
            "GET",
            "/v1/providers",
            options=options,
        )
        return result

    async def set(
        self,
        layer: str,
        *,
        provider: str,
        api_key: str,
        params: Mapping[str, Any] | Unset = UNSET,
        fallback_enabled: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> ProviderConfiguration:
        """Set a provider and its key.

        The first provider of a layer becomes active. Others stay inactive until you activate them.

        Args:
            provider: The provider; GET /v1/providers lists the available ones.
            api_key: Stored encrypted and never returned.
            params: Settings of the provider, such as model or base_url.
            fallback_enabled: Default: false.
        """
        result: ProviderConfiguration = await self._transport.json(
            "PUT",
            f"/v1/providers/{segment(layer)}",
            body={
                "provider": provider,
                "api_key": api_key,
                "params": params,
                "fallback_enabled": fallback_enabled,
            },
            options=options,
        )
        return result

    async def activate(
        self,
        layer: str,
        *,
        provider: str,
        options: RequestOptions | None = None,
    ) -> ProviderConfiguration:
        """Make a provider the active one of its layer.

        Args:
            provider: The provider; GET /v1/providers lists the available ones.
        """
        result: ProviderConfiguration = await self._transport.json(
            "POST",
            f"/v1/providers/{segment(layer)}/activate",
            body={
                "provider": provider,
            },
            options=options,
        )
        return result

    async def test(
        self,
        layer: str,
        *,
        provider: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> ProviderTest:
        """Check whether the provider accepts the key.

        Without a provider, the active one of the layer is checked.

        Args:
            provider: The provider; GET /v1/providers lists the available ones.
        """
        result: ProviderTest = await self._transport.json(
            "POST",
            f"/v1/providers/{segment(layer)}/test",
            body={
                "provider": provider,
            },
            options=options,
        )
        return result

    async def remove(
        self,
        layer: str,
        provider: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete a provider and its key."""
        await self._transport.json(
            "DELETE",
            f"/v1/providers/{segment(layer)}/{segment(provider)}",
            options=options,
        )
