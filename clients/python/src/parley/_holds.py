"""What to do with a new message or call that is held for approval: the option `on_hold`."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from parley.errors import HeldError

if TYPE_CHECKING:
    from parley._request import RequestOptions
    from parley._transport import AsyncTransport, Transport

# Shorter than common timeouts of proxies.
_SLICE_SECONDS = 25
_POLL_SECONDS = 0.5


def _is_held(record: object) -> bool:
    hold = record.get("hold") if isinstance(record, dict) else None
    return isinstance(hold, dict) and hold.get("kind") == "approval"


def _must_wait(created: Any, options: RequestOptions | None) -> bool:
    """Calls back or raises if that was asked for; tells whether to wait for the decision."""
    on_hold = (options or {}).get("on_hold", "return")
    if on_hold == "return" or not _is_held(created):
        return False
    if on_hold == "raise":
        raise HeldError(created)
    if on_hold == "wait":
        return True
    if not callable(on_hold):
        raise ValueError(
            f"on_hold is {on_hold!r}: expected 'return', 'wait', 'raise' or a callable"
        )
    on_hold(created)
    return False


def _for_reads(options: RequestOptions | None) -> RequestOptions:
    """The options of the requests that wait: without those of the creation."""
    reads: RequestOptions = {**(options or {})}
    reads.pop("on_hold", None)
    reads.pop("idempotency_key", None)
    return reads


def _own_path(path: str, created: Any) -> str:
    """`path` is that of the request that created the record, such as /v1/emails/{id}/reply."""
    return "/".join([*path.split("/")[:3], created["id"]])


def _is_being_sent(record: Any) -> bool:
    """Approved and not yet handed over: that takes a moment."""
    return bool(record["status"] == "queued" and record["hold"] is None)


def settle_hold(
    transport: Transport, path: str, created: Any, options: RequestOptions | None
) -> Any:
    """The created record, or with `wait` as it is after the decision."""
    if not _must_wait(created, options):
        return created
    reads = _for_reads(options)
    record = created
    while True:
        if _is_held(record):
            approval = f"/v1/approvals/{record['hold']['approval_id']}"
            query = {"wait_seconds": _SLICE_SECONDS}
            transport.json("GET", approval, query=query, options=reads)
        record = transport.json("GET", _own_path(path, created), options=reads)
        if _is_being_sent(record):
            time.sleep(_POLL_SECONDS)
        elif not _is_held(record):
            return record


async def settle_hold_async(
    transport: AsyncTransport, path: str, created: Any, options: RequestOptions | None
) -> Any:
    """The created record, or with `wait` as it is after the decision."""
    if not _must_wait(created, options):
        return created
    reads = _for_reads(options)
    record = created
    while True:
        if _is_held(record):
            approval = f"/v1/approvals/{record['hold']['approval_id']}"
            query = {"wait_seconds": _SLICE_SECONDS}
            await transport.json("GET", approval, query=query, options=reads)
        record = await transport.json("GET", _own_path(path, created), options=reads)
        if _is_being_sent(record):
            await asyncio.sleep(_POLL_SECONDS)
        elif not _is_held(record):
            return record
