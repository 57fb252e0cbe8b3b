"""Every resource with a real server: the server accepts the requests, and the responses have the declared keys."""

from __future__ import annotations

import pkgutil
from datetime import datetime, timedelta, timezone

import pytest
from conftest import REQUESTS, client_of

import parley.resources
from parley import ApiError, Parley, ParleyError


def a_second_ago() -> str:
    return (datetime.now(timezone.utc) - timedelta(seconds=1)).isoformat()


def test_identity_keys_members_and_invitations(parley: Parley, person: Parley) -> None:
    assert parley.identity.whoami()["auth_kind"] == "apikey"
    made = parley.api_keys.create(name="Of the client", scopes=["identity:read"])
    assert client_of(made["key"]).identity.whoami()["auth_kind"] == "apikey"
    assert made["id"] in [key["id"] for key in parley.api_keys.list()]
    parley.api_keys.revoke(made["id"])
    assert parley.oauth_grants.list().items == []
    assert parley.members.list().items[0]["role"] == "owner"
    invitation = person.invitations.create(email="bo@example.com", role="member")
    assert [each["id"] for each in person.invitations.list()] == [invitation["id"]]
    person.invitations.withdraw(invitation["id"])


def test_what_an_operator_does(operator: Parley, parley: Parley) -> None:
    made = operator.organizations.create(name="Another")
    assert operator.organizations.get(made["id"])["name"] == "Another"
    operator.organizations.update(made["id"], velocity_caps={"sms": 5})
    operator.funds.update_prices(sms_segment=100)
    own_id = parley.identity.whoami()["organization_id"]
    operator.funds.credit(own_id, amount_micros=1_000_000_000, reference="python")
    assert parley.funds.balance()["balance_micros"] == 1_000_000_000
    assert len(parley.funds.ledger().items) == 1
    pooled = operator.pool_numbers.create(e164="+15005550777", provider="sandbox")
    assert pooled["id"] in [number["id"] for number in operator.pool_numbers.list()]
    operator.kill_switch.update(sms=True)
    assert operator.kill_switch.get()["sms"] is True
    assert parley.channels.get()["sms"] == "stopped"
    assert operator.set_aside_work.list().items == []
    assert operator.sign_in_links.create()["url"].startswith("http")
    operator.kill_switch.update(sms=False)
    assert operator.audit_log.list().items


def test_contacts_and_agents(parley: Parley) -> None:
    contact = parley.contacts.create(name="Ana", email="ana@example.com", role="Cook")
    assert parley.contacts.get(contact["id"]) == contact
    # None clears a field; a field that is left out keeps its value.
    changed = parley.contacts.update(contact["id"], role=None)
    assert (changed["name"], changed["role"]) == ("Ana", None)
    assert [each["id"] for each in parley.contacts.list(q="ana@")] == [contact["id"]]
    parley.contacts.delete(contact["id"])
    agent = parley.agents.create(name="Clerk", system_prompt="Be brief.", tools=["end_call"])
    assert parley.agents.update(agent["id"], language="en")["name"] == "Clerk"
    assert [each["id"] for each in parley.agents.list()] == [agent["id"]]


def test_emails_in_both_directions(parley: Parley) -> None:
    file = parley.email_attachments.upload(b"hello", filename="note.txt", content_type="text/plain")
    since = a_second_ago()
    sent = parley.emails.create(
        to=["delivered@sandbox.test"],
        subject="Hello",
        body_text="Hi",
        attachment_ids=[file["id"]],
        recipient_consent=True,
    )
    assert sent["status"] == "sent"
    kinds = [entry["kind"] for entry in parley.emails.events(sent["id"])]
    assert kinds == ["sent", "delivered"]
    assert parley.emails.stats()["totals"]["sent"] == 1
    assert parley.sandbox_outbox.list().items
    assert parley.emails.raw(sent["id"])["location"].startswith("http")
    parley.sandbox_emails.receive(
        from_="ana@example.com", subject="Re: Hello", body_text="Your code is 482913"
    )
    found = parley.emails.wait(since=since, from_="ana@example.com", timeout_seconds=20)
    assert found["email"] is not None and found["code"] == "482913"
    reply = parley.emails.reply(found["email"]["id"], body_text="Thanks", recipient_consent=True)
    assert reply["conversation_id"] == found["email"]["conversation_id"]
    domain = parley.email_domains.create(kind="custom", domain="python.example.com")
    assert domain["id"] in [each["id"] for each in parley.email_domains.list()]
    refused = parley.email_suppressions.create(recipient="no@example.com")
    assert [each["id"] for each in parley.email_suppressions.list()] == [refused["id"]]


def test_numbers_verifications_and_texts(parley: Parley) -> None:
    offers = parley.numbers.quote(country_code="US")["offers"]
    number = parley.numbers.create(country_code="US", quote_id=offers[0]["quote_id"])
    assert parley.numbers.get(number["id"])["provisioning_state"] == "active"
    asked = parley.verifications.requirements(country_code="FR", number_type="local")
    assert "document" in [each["input"] for each in asked["requirements"]]
    draft = parley.verifications.create(
        country_code="FR", number_type="local", subject_name="Example", submit=False
    )
    answered = parley.verifications.update(draft["id"], answers={"birth_date": "1980-12-31"})
    assert "given" in [each["status"] for each in answered["requirements"]]
    document = parley.verifications.upload_document(
        draft["id"],
        b"%PDF-1.4",
        filename="bill.pdf",
        requirement="proof_of_address",
        document_type="utility_bill",
    )
    parley.verifications.delete_document(draft["id"], document["id"])
    with pytest.raises(ApiError, match="missing"):
        parley.verifications.submit(draft["id"])
    assert parley.verifications.get(draft["id"])["waiting_for"] == "you"
    assert parley.verifications.cancel(draft["id"])["state"] == "canceled"
    assert [each["id"] for each in parley.verifications.list()] == [draft["id"]]
    assert parley.verifications.list_events(draft["id"]).items[0]["kind"] == "canceled"
    since = a_second_ago()
    sent = parley.sms.create(to="+15005550001", body="Hello", recipient_consent=True)
    # `from` is a keyword of Python: a key of a record as it is, an argument with an underscore.
    assert sent["from"] == number["e164"]
    parley.sandbox_sms.receive(from_="+14155550123", to=number["e164"], body="Your code is 1234")
    assert parley.sms.wait(since=since, timeout_seconds=20)["code"] == "1234"
    assert len(parley.sms.list(direction="inbound").items) == 1
    assert parley.conversation_tokens.list(sent["conversation_id"])["items"] == []
    assert parley.search.query(q="nothing-has-this-word")["items"] == []


def test_a_call_is_waited_for_until_it_is_over(parley: Parley) -> None:
    placed = parley.calls.create(
        to="+15005550201",
        system_prompt="Book an appointment for Tuesday.",
        recipient_consent=True,
    )
    call = parley.calls.wait(placed["id"], max_wait_seconds=120)
    assert call["status"] == "completed"
    assert len(parley.calls.transcript(call["id"])["turns"]) > 1
    assert call["id"] in [each["id"] for each in parley.calls.list()]
    assert isinstance(parley.sandbox_phone.list()["items"], list)


def test_providers_events_and_the_sandbox(parley: Parley, operator: Parley) -> None:
    assert isinstance(parley.providers.list()["items"], list)
    assert parley.go_live.get()["items"]
    assert operator.sandbox.get_clock()["now"]
    hook = parley.webhooks.create(
        target_url="http://127.0.0.1:9/none", event_types=["call.completed"]
    )
    assert parley.webhooks.get(hook["id"])["event_types"] == ["call.completed"]
    check = parley.webhooks.certify(hook["id"])
    assert parley.webhooks.get_certification(hook["id"], check["id"])["id"] == check["id"]
    parley.webhooks.delete(hook["id"])
    assert parley.events.list(type="call.completed").items


def test_explain_and_the_request_log(parley: Parley) -> None:
    text = parley.sms.create(to="+15005550001", body="Explained", recipient_consent=True)
    assert parley.explain.object(text["id"])["object"]["noun"] == "sms"
    assert parley.explain.sms(text["id"])["object"]["id"] == text["id"]
    logged = parley.requests.list(object_id=text["id"]).items
    created = next(each for each in logged if each["operation"] == "sms.create")
    assert parley.requests.get(created["request_id"])["object_id"] == text["id"]


def test_rules_for_sending(parley: Parley) -> None:
    assert parley.contact_rules.get()["consent"] == "warrant"
    assert parley.quiet_hours.get()["calls"] is None
    assert parley.approval_policy.get()["rules"] == []
    assert parley.trusted_recipients.get()["recipients"] == []
    assert parley.approvals.list(status="pending").items == []
    assert parley.budgets.list()["items"] == []
    assert isinstance(parley.receipts.list().items, list)
    assert parley.erasures.list().items == []
    assert parley.storage.get()["max_bytes"] is None
    assert parley.retention.get()["effective"]["messages"] is None
    with pytest.raises(ParleyError):
        parley.retention.update(messages=30)
    with pytest.raises(ParleyError):
        parley.erasures.create(parties=["+14155550177"], dry_run=True)
    with pytest.raises(ParleyError):
        parley.erasures.replay(erasures=[{"party_hashes": ["hmac:" + "A" * 43]}])
    with pytest.raises(ParleyError):
        parley.erasures.get("019a8c1e-f101-7a11-8b22-4c5d6e7f8091")
    consent = parley.consents.create(
        recipient="+14155550188",
        channels=["sms"],
        purposes=["conversational"],
        basis="express",
        source={"kind": "api", "captured_at": a_second_ago()},
    )
    found = parley.consents.check(recipient="+14155550188", channel="sms", purpose="conversational")
    assert found["allowed"] and found["consent_id"] == consent["id"]


def test_a_batch_of_emails(parley: Parley) -> None:
    batch = parley.email_batches.create(
        emails=[{"to": ["delivered@sandbox.test"], "subject": "Hello", "recipient_consent": True}]
    )
    assert batch["accepted"] == 1


def test_any_request_can_be_sent(parley: Parley) -> None:
    response = parley.request("GET", "/v1/contacts", query={"limit": 1})
    assert response.json()["next_cursor"] is None


def test_a_wait_that_is_over_at_once_is_returned(parley: Parley) -> None:
    parley.sandbox_emails.receive(
        from_="wait@example.com", subject="S", body_text="Your code is 482913"
    )
    since = parley.emails.list(direction="inbound", limit=1).items[0]["requested_at"]
    wait = parley.waits.until(any_of=[{"kind": "code", "from": "wait@example.com"}], since=since)
    assert wait["matched"] is not None
    assert wait["matched"]["code"] == "482913"
    assert parley.waits.until(wait_id=wait["id"])["status"] == "resolved"


def test_a_receive_rule_keeps_an_email_apart(parley: Parley) -> None:
    rule = parley.receive_rules.create(
        channel="email",
        match={"kind": "address", "value": "eve@example.org"},
        action="quarantine",
    )
    email = parley.sandbox_emails.receive(from_="eve@example.org", subject="S", body_text="Hi")
    assert email["folder"] == "quarantine"
    assert parley.emails.release(email["id"])["folder"] == "inbox"
    with pytest.raises(ApiError) as refused:
        parley.receive_rules.delete(rule["id"])
    assert refused.value.code == "person_required"


def test_tools_of_agents(parley: Parley) -> None:
    tool = parley.tools.create(
        name="check_slots",
        description="Free slots on a day.",
        parameters={"type": "object", "properties": {"day": {"type": "string"}}},
        url="http://127.0.0.1:9/slots",
    )
    assert tool["secret"].startswith("whsec_")
    server = parley.mcp_servers.create(name="crm", url="http://127.0.0.1:9/mcp")
    assert [each["id"] for each in parley.mcp_servers.list()] == [server["id"]]
    agent = parley.agents.create(
        name="Clerk with tools",
        tools=["end_call", {"type": "tool", "tool_id": tool["id"]}],
    )
    assert [each["type"] for each in agent["tools"]] == ["end_call", "tool"]
    assert all(each["status"] == "done" for each in parley.tool_calls.list())


def test_every_resource_was_used() -> None:
    modules = {name for _, name, _ in pkgutil.iter_modules(parley.resources.__path__)}
    used = {path.replace("/v1/", "").replace("admin/", "") for _, path in REQUESTS}
    places = {
        "identity": "whoami",
        "conversation_tokens": "conversations/",
        "retention": "organization/retention",
        "storage": "organization/storage",
        "sign_in_links": "console/sign-in-links",
        "sandbox_outbox": "sandbox/outbox",
        "sandbox_sms": "sandbox/inbound-sms",
        "sandbox_emails": "sandbox/inbound-emails",
        "sandbox_phone": "sandbox/phone/calls",
    }
    missing = {
        name
        for name in modules
        if not any(path.startswith(places.get(name, name.replace("_", "-"))) for path in used)
    }
    assert missing == set()
