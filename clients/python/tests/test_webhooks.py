"""Signatures of webhook requests, made by the real server and by forgers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import httpx
import pytest
from conftest import ScriptedServer, reply

from parley import Parley, SignatureError, sign_webhook, verify_webhook

Scripted = Callable[..., ScriptedServer]

SECRET = "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
BODY = json.dumps({"id": "e1", "type": "call.answered", "data": {"name": "Zoë"}}).encode()


def test_a_request_of_the_server_is_accepted(parley: Parley, scripted: Scripted) -> None:
    receiver = scripted(reply(204))
    hook = parley.webhooks.create(target_url=f"{receiver.url}/hook", event_types=["email.received"])
    parley.sandbox_emails.receive(from_="hook@example.com", subject="Hello", body_text="Hi")
    [request] = receiver.wait_for(1)
    event = parley.webhooks.verify(request.body, request.headers, hook["secret"])
    assert event["type"] == "email.received"
    assert event["data"]["from_address"] == "hook@example.com"

    # For a day after a rotation, requests carry a signature for each secret.
    rotated = parley.webhooks.rotate_secret(hook["id"])
    parley.sandbox_emails.receive(from_="hook@example.com", subject="Again", body_text="Hi")
    second = receiver.wait_for(2)[1]
    assert second.headers["x-service-signature"].count("v1=") == 2
    for secret in (hook["secret"], rotated["secret"]):
        assert verify_webhook(second.body, second.headers, secret)["type"] == "email.received"
        standard = {k: v for k, v in second.headers.items() if k.startswith("webhook-")}
        assert verify_webhook(second.body, standard, secret)["type"] == "email.received"
    with pytest.raises(SignatureError) as caught:
        verify_webhook(second.body.replace(b"Again", b"again"), second.headers, secret)
    assert caught.value.reason == "forged"
    parley.webhooks.delete(hook["id"])


def test_headers_of_every_framework_are_read() -> None:
    headers = sign_webhook(BODY, SECRET)
    upper = {name.upper(): value for name, value in headers.items()}
    lists = {name: [value] for name, value in headers.items()}
    raw = {name.encode(): value.encode() for name, value in headers.items()}
    for each in (headers, upper, lists, raw, httpx.Headers(headers)):
        assert verify_webhook(BODY, each, SECRET)["id"] == "e1"
    assert verify_webhook(BODY.decode(), headers, SECRET)["id"] == "e1"


def reason_of(body: bytes, headers: dict[str, str], secret: str = SECRET, **more: float) -> str:
    with pytest.raises(SignatureError) as caught:
        verify_webhook(body, headers, secret, now=more.get("now"))
    return caught.value.reason


def test_what_is_forged_is_rejected() -> None:
    headers = sign_webhook(BODY, SECRET)
    assert reason_of(BODY + b" ", headers) == "forged"
    assert reason_of(BODY, headers, SECRET + "x") == "forged"
    now = int(time.time())
    assert reason_of(BODY, {"x-service-signature": f"t={now},v1={'0' * 64}"}) == "forged"
    assert reason_of(BODY, {"x-service-signature": f"t={now},v1=é"}) == "forged"
    moved = headers["x-service-signature"].replace(f"t={now}", f"t={now + 1}")
    assert reason_of(BODY, {"x-service-signature": moved}) == "forged"
    standard = {k: v for k, v in headers.items() if k.startswith("webhook-")}
    assert reason_of(BODY, {**standard, "webhook-id": "another"}) == "forged"
    assert reason_of(BODY, standard, "no-base64!") == "forged"


def test_one_valid_signature_out_of_several_is_enough() -> None:
    headers = sign_webhook(BODY, SECRET)
    several = headers["x-service-signature"].replace(",v1=", f",v1={'0' * 64},v1=")
    assert verify_webhook(BODY, {"x-service-signature": several}, SECRET)


def test_what_is_older_or_newer_than_five_minutes_is_rejected() -> None:
    now = 1_790_000_000.0
    headers = sign_webhook(BODY, SECRET, now=now)
    for shift in (-300, 300):
        assert verify_webhook(BODY, headers, SECRET, now=now + shift)
    for shift in (-301, 301):
        assert reason_of(BODY, headers, now=now + shift) == "expired"


def test_what_cannot_be_read_is_rejected() -> None:
    assert reason_of(BODY, {}) == "missing"
    for wrong in ("nonsense", "", "t=,v1=", "t=x,v1=00", "v1=00", f"t={'9' * 13},v1=00", "t=1"):
        assert reason_of(BODY, {"x-service-signature": wrong}) == "malformed"
    assert reason_of(b"{", sign_webhook(b"{", SECRET)) == "malformed"
