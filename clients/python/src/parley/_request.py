"""What both clients share: settings, the parts of a request, and when a request may be retried."""

from __future__ import annotations

import os
import platform
import random
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, Literal, TypeAlias, TypedDict, final
from urllib.parse import quote

import httpx

from parley._version import __version__
from parley.errors import ApiError, ParleyConnectionError, ParleyError, ParleyTimeoutError

DEFAULT_URL = "http://127.0.0.1:8080"
DEFAULT_TIMEOUT_SECONDS = 60.0
DEFAULT_MAX_RETRIES = 2

# Nothing was done, so any request can be retried.
_NOT_DONE = frozenset({429, 503})
# The outcome is unknown, so only idempotent requests are retried. A 502 is the final result of a failed send.
_UNCLEAR = frozenset({408, 500, 504})


@final
class Unset:
    """The type of `UNSET`: an argument that was left out. `None` is sent as null and clears a field."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()

FileContent: TypeAlias = bytes | BinaryIO
Files: TypeAlias = Mapping[str, tuple[str | None, bytes, str]]


class RequestOptions(TypedDict, total=False):
    """Options of one request."""

    idempotency_key: str
    """Generated for create requests. Set your own to make a retry across restarts safe."""
    max_retries: int
    timeout_seconds: float
    headers: Mapping[str, str]
    on_hold: Literal["return", "wait", "raise"] | Callable[[dict[str, Any]], None]
    """What happens when a new message or call is held for approval. `return` (default) and `wait`
    return the record, at once or after the decision; `raise` raises a `HeldError`; a callable gets
    the record, which is then returned."""


@dataclass(frozen=True)
class Settings:
    """Where requests go, and what every request carries."""

    base_url: str
    api_key: str | None
    max_retries: int
    timeout_seconds: float

    @staticmethod
    def of(
        base_url: str | None, api_key: str | None, max_retries: int, timeout_seconds: float
    ) -> Settings:
        """Arguments come before environment variables."""
        url = base_url or os.environ.get("PARLEY_URL") or DEFAULT_URL
        key = api_key or os.environ.get("PARLEY_API_KEY")
        return Settings(url.rstrip("/"), key, max_retries, timeout_seconds)


@dataclass(frozen=True)
class Request:
    """One request, ready to be sent as often as its retries allow."""

    method: str
    url: str
    headers: dict[str, str]
    query: dict[str, Any] | None
    body: dict[str, Any] | None
    files: Files | None
    is_repeatable: bool
    max_retries: int
    timeout: httpx.Timeout


def build_request(
    settings: Settings,
    method: str,
    path: str,
    *,
    query: Mapping[str, Any] | None,
    body: Mapping[str, Any] | None,
    files: Files | None,
    is_idempotent: bool,
    options: RequestOptions | None,
) -> Request:
    """Adds the credential, an idempotency key and the limits of the request."""
    chosen: RequestOptions = options or {}
    headers = {
        "user-agent": f"parley-python/{__version__} python/{platform.python_version()}",
        "accept": "application/json",
    }
    if settings.api_key:
        headers["authorization"] = f"Bearer {settings.api_key}"
    key = chosen.get("idempotency_key")
    if is_idempotent:
        key = key or str(uuid.uuid4())
        headers["idempotency-key"] = key
    headers.update(chosen.get("headers", {}))
    return Request(
        method=method,
        url=settings.base_url + path,
        headers=headers,
        query=None if query is None else _flat(_given(query, without_none=True)),
        body=None if body is None else _given(body),
        files=files,
        is_repeatable=method == "GET" or is_idempotent,
        max_retries=chosen.get("max_retries", settings.max_retries),
        timeout=httpx.Timeout(chosen.get("timeout_seconds", settings.timeout_seconds)),
    )


def _flat(query: Mapping[str, Any]) -> dict[str, Any]:
    """A map becomes one parameter for each entry, such as metadata[order]=7."""
    flat: dict[str, Any] = {}
    for name, value in query.items():
        if isinstance(value, Mapping):
            flat.update({f"{name}[{key}]": entry for key, entry in value.items()})
        else:
            flat[name] = value
    return flat


def text_parts(fields: Mapping[str, Any]) -> dict[str, tuple[str | None, bytes, str]]:
    """The text parts of a form beside its file."""
    return {
        name: (None, str(value).encode(), "text/plain; charset=utf-8")
        for name, value in _given(fields, without_none=True).items()
    }


def _given(fields: Mapping[str, Any], *, without_none: bool = False) -> dict[str, Any]:
    return {
        name: value
        for name, value in fields.items()
        if value is not UNSET and not (without_none and value is None)
    }


def error_of(response: httpx.Response) -> ApiError:
    """The error of a response whose body was read."""
    try:
        body: object = response.json()
    except ValueError:
        body = None
    return ApiError(response.status_code, response.headers, body)


def lost(error: httpx.TransportError, request: Request) -> ParleyError:
    """The error of a request without a response."""
    if isinstance(error, httpx.TimeoutException):
        return ParleyTimeoutError(f"No response within {request.timeout.read} s")
    reason = str(error) or type(error).__name__
    return ParleyConnectionError(f"Cannot reach {request.url}: {reason}")


def may_retry(failure: ParleyError, request: Request, attempt: int) -> bool:
    """Whether a retry is left, and cannot do the same work twice."""
    if attempt >= request.max_retries:
        return False
    if not isinstance(failure, ApiError):
        return request.is_repeatable
    if failure.status in _NOT_DONE:
        return True
    unclear = failure.status in _UNCLEAR or failure.code == "idempotency_in_progress"
    return request.is_repeatable and unclear


def delay_seconds(failure: ParleyError, attempt: int) -> float:
    """The delay that the server requests, else exponential backoff with jitter.

    The jitter keeps clients from retrying at the same time.
    """
    if isinstance(failure, ApiError) and failure.retry_after_seconds is not None:
        return failure.retry_after_seconds
    return float(0.5 * 2**attempt * random.uniform(0.5, 1))


def result_of(response: httpx.Response) -> Any:
    """The body of a response; None if it has none, the target if it redirects."""
    if response.status_code == 204:
        return None
    if response.status_code == 302:
        return {"location": response.headers["location"]}
    return response.json()


def segment(value: str) -> str:
    """A path parameter. An empty one or a dot would lead to another operation."""
    if value in ("", ".", ".."):
        raise ValueError(f"{value!r} is not an id")
    return quote(value, safe="")


def read_file(file: FileContent) -> bytes:
    """The whole content, so that a retry can send it again."""
    return file if isinstance(file, bytes) else file.read()
