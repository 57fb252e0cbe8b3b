"""Verifies that a webhook request came from Parley, and creates signed requests for tests."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
import uuid
from collections.abc import Iterable
from typing import Any, Protocol, cast

from parley.errors import SignatureError
from parley.events import AnyEvent

TOLERANCE_SECONDS = 300


class WebhookHeaders(Protocol):
    """Headers of any web framework: a mapping, or an object with `items()`."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Pairs of name and value."""
        ...


def verify_webhook(
    raw_body: bytes | str,
    headers: WebhookHeaders,
    secret: str,
    *,
    now: float | None = None,
    tolerance_seconds: int = TOLERANCE_SECONDS,
) -> AnyEvent:
    """Returns the event of a webhook request, or raises a `SignatureError`.

    Pass the raw body, not a parsed and serialized copy. `now` is a Unix time, for tests.
    """
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    own = _header(headers, "x-service-signature")
    standard = _header(headers, "webhook-signature")
    if own is not None:
        timestamp, signatures = _own_parts(own)
        expected = _own_signature(secret, timestamp, body)
    elif standard is not None:
        timestamp = _header(headers, "webhook-timestamp") or ""
        signatures = [part[3:] for part in standard.split(" ") if part.startswith("v1,")]
        delivery_id = _header(headers, "webhook-id") or ""
        expected = _standard_signature(secret, delivery_id, timestamp, body)
    else:
        raise SignatureError("missing", "The request has no signature")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or not signatures:
        raise SignatureError("malformed", "The signature header cannot be read")
    # Every signature is compared, so that the time does not tell which one matched.
    matches = [
        hmac.compare_digest(signature.encode(), expected.encode()) for signature in signatures
    ]
    if not any(matches):
        raise SignatureError("forged", "The signature does not match the body and the secret")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise SignatureError(
            "expired",
            "The signature is too old or in the future; check the clock of this machine",
        )
    try:
        return cast(AnyEvent, json.loads(body))
    except ValueError as error:
        raise SignatureError("malformed", "The body is not JSON") from error


def sign_webhook(
    raw_body: bytes | str,
    secret: str,
    *,
    now: float | None = None,
    delivery_id: str | None = None,
) -> dict[str, str]:
    """The headers that Parley would send with this body, for tests of a receiver."""
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    timestamp = str(int(time.time() if now is None else now))
    id_ = delivery_id or str(uuid.uuid4())
    return {
        "content-type": "application/json",
        "x-service-signature": f"t={timestamp},v1={_own_signature(secret, timestamp, body)}",
        "x-service-delivery": id_,
        "webhook-id": id_,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{_standard_signature(secret, id_, timestamp, body)}",
    }


def _header(headers: WebhookHeaders, name: str) -> str | None:
    for key, value in headers.items():
        if _text(key).lower() == name:
            return _text(value[0] if isinstance(value, (list, tuple)) else value)
    return None


def _text(value: Any) -> str:
    # ASGI servers pass headers as bytes; Latin-1 decodes any byte.
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _own_parts(header: str) -> tuple[str, list[str]]:
    fields = [field.strip().partition("=") for field in header.split(",")]
    timestamp = next((value for name, _, value in fields if name == "t"), "")
    return timestamp, [value for name, _, value in fields if name == "v1" and value]


def _own_signature(secret: str, timestamp: str, body: bytes) -> str:
    message = f"{timestamp}.".encode() + body
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def _standard_signature(secret: str, delivery_id: str, timestamp: str, body: bytes) -> str:
    # Standard Webhooks use the decoded bytes after the prefix as the key; ours is the secret as text.
    encoded = secret.removeprefix("whsec_").replace("-", "+").replace("_", "/")
    try:
        key = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise SignatureError("forged", "The secret is not one of Parley (whsec_…)") from error
    message = f"{delivery_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.new(key, message, hashlib.sha256).digest()).decode()
