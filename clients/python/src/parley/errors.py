"""The errors of the client, each with what to do next."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any, Literal, TypedDict


class FieldProblem(TypedDict):
    """One invalid field of a request."""

    path: str
    message: str
    code: str


class ParleyError(Exception):
    """The base of every error that this package raises."""


class ApiError(ParleyError):
    """The server responded with an error. `code` is stable; `fix` says what to do next."""

    status: int
    code: str
    message: str
    fix: str
    request_id: str | None
    object_id: str | None
    """The record that was stored although the request failed."""
    errors: list[FieldProblem]
    """Every invalid field of a 422 response."""
    retry_after_seconds: int | None

    def __init__(self, status: int, headers: Mapping[str, str], body: object) -> None:
        problem: dict[str, Any] = body if isinstance(body, dict) else {}
        self.status = status
        self.code = problem.get("code", "unknown")
        self.message = problem.get("detail", f"The server responded with {status}")
        self.fix = problem.get("fix", "Check that the base URL is that of a Parley server.")
        self.request_id = problem.get("request_id") or headers.get("x-request-id")
        self.object_id = problem.get("object_id")
        self.errors = problem.get("errors") or []
        wait = headers.get("retry-after", "")
        self.retry_after_seconds = int(wait) if wait.isascii() and wait.isdigit() else None
        super().__init__(f"{self.message} ({status} {self.code}). {self.fix}")


class HeldError(ParleyError):
    """A message or call was not sent: it is held for approval. Raised only with `on_hold="raise"`."""

    approval_id: str
    record: dict[str, Any]
    """The record that waits."""

    def __init__(self, record: dict[str, Any]) -> None:
        hold: dict[str, Any] = record["hold"]
        self.approval_id = hold["approval_id"]
        self.record = record
        until = f" until {hold['until']}" if hold.get("until") else ""
        super().__init__(f"Not sent: held for approval {self.approval_id}{until}")


class ParleyConnectionError(ParleyError, builtins.ConnectionError):
    """There was no response: the server could not be reached, or the connection broke."""


class ParleyTimeoutError(ParleyError, builtins.TimeoutError):
    """There was no response in time. It is unknown whether the request was carried out."""


SignatureProblem = Literal["missing", "malformed", "forged", "expired"]


class SignatureError(ParleyError):
    """A webhook request that must not be trusted; `reason` says why."""

    reason: SignatureProblem

    def __init__(self, reason: SignatureProblem, message: str) -> None:
        self.reason = reason
        super().__init__(message)
