"""The two clients."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

import httpx

from parley._request import (
    DEFAULT_MAX_RETRIES,
    DEFAULT_TIMEOUT_SECONDS,
    RequestOptions,
    Settings,
)
from parley._transport import AsyncTransport, Transport
from parley.resources import AsyncResources, Resources


class Parley(Resources):
    """The sync client. It can be used by several threads, and as a context manager."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_retries: int = DEFAULT_MAX_RETRIES,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        http_client: httpx.Client | None = None,
    ) -> None:
        """Creates a client; nothing is sent yet.

        Args:
            base_url: URL of the server. Default: PARLEY_URL, else http://127.0.0.1:8080.
            api_key: Default: PARLEY_API_KEY.
            max_retries: How often a retryable request is retried.
            timeout_seconds: How long to wait for a connection and for each part of a response.
            http_client: Your own httpx client, for proxies or certificates.
        """
        settings = Settings.of(base_url, api_key, max_retries, timeout_seconds)
        super().__init__(Transport(settings, http_client))

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        options: RequestOptions | None = None,
    ) -> httpx.Response:
        """Sends any request with credential, timeout and retries. For operations without a method."""
        is_idempotent = "idempotency_key" in (options or {})
        return self._transport.send(
            method, path, query=query, body=body, is_idempotent=is_idempotent, options=options
        )

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def __enter__(self) -> Parley:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncParley(AsyncResources):
    """The async client. It can be used as an async context manager."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_retries: int = DEFAULT_MAX_RETRIES,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """Creates a client; nothing is sent yet.

        Args:
            base_url: URL of the server. Default: PARLEY_URL, else http://127.0.0.1:8080.
            api_key: Default: PARLEY_API_KEY.
            max_retries: How often a retryable request is retried.
            timeout_seconds: How long to wait for a connection and for each part of a response.
            http_client: Your own httpx client, for proxies or certificates.
        """
        settings = Settings.of(base_url, api_key, max_retries, timeout_seconds)
        super().__init__(AsyncTransport(settings, http_client))

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        options: RequestOptions | None = None,
    ) -> httpx.Response:
        """Sends any request with credential, timeout and retries. For operations without a method."""
        is_idempotent = "idempotency_key" in (options or {})
        return await self._transport.send(
            method, path, query=query, body=body, is_idempotent=is_idempotent, options=options
        )

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncParley:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()
