"""Sends requests over httpx and retries them if that is safe."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import httpx

from parley._holds import settle_hold, settle_hold_async
from parley._request import (
    Files,
    Request,
    RequestOptions,
    Settings,
    build_request,
    delay_seconds,
    error_of,
    lost,
    may_retry,
    result_of,
)
from parley.errors import ParleyError


class Transport:
    """Sends the requests of the sync client."""

    def __init__(self, settings: Settings, http_client: httpx.Client | None) -> None:
        self._settings = settings
        self._owns_client = http_client is None
        self._http = http_client or httpx.Client()

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        files: Files | None = None,
        is_idempotent: bool = False,
        is_stream: bool = False,
        options: RequestOptions | None = None,
    ) -> httpx.Response:
        """Returns a response below 400; raises a `ParleyError` for everything else."""
        request = build_request(
            self._settings,
            method,
            path,
            query=query,
            body=body,
            files=files,
            is_idempotent=is_idempotent,
            options=options,
        )
        attempt = 0
        while True:
            failure: ParleyError
            try:
                response = self._http.send(
                    _built(self._http, request), stream=is_stream, follow_redirects=False
                )
                if response.status_code < 400:
                    return response
                response.read()
                failure = error_of(response)
            except httpx.TransportError as error:
                failure = lost(error, request)
                failure.__cause__ = error
            if not may_retry(failure, request, attempt):
                raise failure
            time.sleep(delay_seconds(failure, attempt))
            attempt += 1

    def json(self, method: str, path: str, **arguments: Any) -> Any:
        """The decoded body of the response. The arguments are those of `send`."""
        result = result_of(self.send(method, path, **arguments))
        return settle_hold(self, path, result, arguments.get("options"))

    def close(self) -> None:
        """A client that was passed in stays open."""
        if self._owns_client:
            self._http.close()


class AsyncTransport:
    """Sends the requests of the async client."""

    def __init__(self, settings: Settings, http_client: httpx.AsyncClient | None) -> None:
        self._settings = settings
        self._owns_client = http_client is None
        self._http = http_client or httpx.AsyncClient()

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        files: Files | None = None,
        is_idempotent: bool = False,
        is_stream: bool = False,
        options: RequestOptions | None = None,
    ) -> httpx.Response:
        """Returns a response below 400; raises a `ParleyError` for everything else."""
        request = build_request(
            self._settings,
            method,
            path,
            query=query,
            body=body,
            files=files,
            is_idempotent=is_idempotent,
            options=options,
        )
        attempt = 0
        while True:
            failure: ParleyError
            try:
                response = await self._http.send(
                    _built(self._http, request), stream=is_stream, follow_redirects=False
                )
                if response.status_code < 400:
                    return response
                await response.aread()
                failure = error_of(response)
            except httpx.TransportError as error:
                failure = lost(error, request)
                failure.__cause__ = error
            if not may_retry(failure, request, attempt):
                raise failure
            await asyncio.sleep(delay_seconds(failure, attempt))
            attempt += 1

    async def json(self, method: str, path: str, **arguments: Any) -> Any:
        """The decoded body of the response. The arguments are those of `send`."""
        result = result_of(await self.send(method, path, **arguments))
        return await settle_hold_async(self, path, result, arguments.get("options"))

    async def close(self) -> None:
        """A client that was passed in stays open."""
        if self._owns_client:
            await self._http.aclose()


def _built(http: httpx.Client | httpx.AsyncClient, request: Request) -> httpx.Request:
    # A new one for each attempt: the body of a sent request cannot be read again.
    return http.build_request(
        request.method,
        request.url,
        params=request.query,
        json=request.body,
        files=request.files,
        headers=request.headers,
        timeout=request.timeout,
    )
