"""Parley: a phone, a mailbox and a text line for AI agents behind one API.

Create a client with `Parley()` or `AsyncParley()`. Both read PARLEY_URL and PARLEY_API_KEY.
"""

from parley._client import AsyncParley, Parley
from parley._page import AsyncList, AsyncPage, Page
from parley._request import UNSET, RequestOptions, Unset
from parley._version import __version__
from parley.errors import (
    ApiError,
    FieldProblem,
    HeldError,
    ParleyConnectionError,
    ParleyError,
    ParleyTimeoutError,
    SignatureError,
)
from parley.events import AnyEvent, EventType
from parley.webhook_signature import sign_webhook, verify_webhook

__all__ = [
    "UNSET",
    "AnyEvent",
    "ApiError",
    "AsyncList",
    "AsyncPage",
    "AsyncParley",
    "EventType",
    "FieldProblem",
    "HeldError",
    "Page",
    "Parley",
    "ParleyConnectionError",
    "ParleyError",
    "ParleyTimeoutError",
    "RequestOptions",
    "SignatureError",
    "Unset",
    "__version__",
    "sign_webhook",
    "verify_webhook",
]
