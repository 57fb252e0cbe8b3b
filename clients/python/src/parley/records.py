# Made by `npm run generate`; edits are lost.
"""The records of the API."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict, Union


class Location(TypedDict):
    """Where a file can be downloaded for a short time."""

    location: str


class Agent(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    name: str
    system_prompt: str | None
    first_message: str | None
    language: str
    voice: str | None
    llm_model: str | None
    tools: list[Literal["end_call", "send_digits", "send_sms", "do_not_contact"]]
    max_duration_seconds: int
    ai_disclosure: bool
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    updated_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class ApiKey(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    user_id: str
    """The person who owns the key. The key works while that person is a member."""
    name: str
    start: str
    """The first characters of the key, to identify it in a list."""
    scopes: list[str]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    expires_at: str | None
    """null: the key does not expire."""
    last_used_at: str | None
    """Accurate to the minute."""


class AuditEntry(TypedDict):
    id: str
    """A UUID."""
    organization_id: str | None
    """The organization whose records were changed; null: the whole service."""
    user_id: str | None
    """The person who did it; null: the shared key or the service itself."""
    credential_id: str | None
    action: str
    """The action, such as api_key.revoked."""
    object_id: str | None
    """The id of the record that was changed."""
    ip: str | None
    request_id: str | None
    detail: dict[str, Any]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class Balance(TypedDict):
    organization_id: str
    """A UUID."""
    balance_micros: int
    """Millionths of the currency unit: 1 000 000 is one dollar."""
    reserved_micros: int
    """Reserved for calls in progress, in millionths. Charged or released when they end."""
    available_micros: int
    """The balance minus the reserved amount, available to new calls and texts."""
    charging: bool
    """false: this server does not charge (PARLEY_FUNDS=off)."""


_CallReserved = TypedDict("_CallReserved", {"from": "str | None"})


class Call(_CallReserved):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    conversation_id: str
    """The value you sent. Default: the id of the call."""
    agent_id: str | None
    direction: Literal["outbound", "inbound"]
    status: Literal["queued", "dialing", "ringing", "in_progress", "completed", "failed", "busy", "no_answer", "canceled"]
    end_reason: Literal["callee_hangup", "agent_hangup", "api_hangup", "max_duration", "silence_timeout", "voicemail", "busy", "rejected", "ring_timeout", "unreachable", "canceled", "no_number_available", "setup_error", "trunk_failure", "media_failure", "force_closed", "insufficient_funds", "not_allowed", "llm_not_configured"] | None
    to: str
    provider: str | None
    """The carrier; null until a number is chosen."""
    provider_call_id: str | None
    answered_by: Literal["human", "machine", "unknown"] | None
    requested_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    started_at: str | None
    """When the carrier started to dial."""
    ringing_at: str | None
    answered_at: str | None
    ended_at: str | None
    duration_seconds: int | None
    """From the moment of the answer to the end."""
    recording_url: str | None
    metadata: dict[str, Any]


_CallEventDataReserved = TypedDict("_CallEventDataReserved", {"from": "str | None"})


class CallEventData(_CallEventDataReserved):
    id: str
    """The id of the call."""
    direction: Literal["outbound", "inbound"]
    status: Literal["queued", "dialing", "ringing", "in_progress", "completed", "failed", "busy", "no_answer", "canceled"]
    end_reason: Literal["callee_hangup", "agent_hangup", "api_hangup", "max_duration", "silence_timeout", "voicemail", "busy", "rejected", "ring_timeout", "unreachable", "canceled", "no_number_available", "setup_error", "trunk_failure", "media_failure", "force_closed", "insufficient_funds", "not_allowed", "llm_not_configured"] | None
    to: str
    agent_id: str | None
    answered_by: Literal["human", "machine", "unknown"] | None
    requested_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    answered_at: str | None
    ended_at: str | None
    duration_seconds: int | None
    metadata: dict[str, Any]


class _CallLlmRequired(TypedDict):
    base_url: str
    """Base URL of an endpoint with the chat completions protocol, including the version, such as
    https://llm.example.com/v1.
    """
    model: str


class CallLlm(_CallLlmRequired, total=False):
    api_key: str | None
    """Stored encrypted and never returned."""


_CallStatisticsReserved = TypedDict("_CallStatisticsReserved", {"from": "str"})


class CallStatistics(_CallStatisticsReserved):
    to: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    total: int
    by_status: CallStatisticsByStatus
    duration_seconds: int
    """Total of all calls, from answer to end."""


class CallStatisticsByStatus(TypedDict):
    queued: int
    dialing: int
    ringing: int
    in_progress: int
    completed: int
    failed: int
    busy: int
    no_answer: int
    canceled: int


class CallTimelineEntry(TypedDict):
    id: str
    """A UUID."""
    kind: Literal["requested", "preparing", "dialed", "placed", "rang", "answered", "answered_by", "interrupted", "digits_pressed", "digits_sent", "went_wrong", "hang_up_requested", "recorded", "not_recorded", "hung_up", "declined", "rang_out", "broke", "canceled"]
    occurred_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    detail: dict[str, Any]
    """Further details, in the wording of the carrier."""


class CallTranscript(TypedDict):
    call_id: str
    """A UUID."""
    is_final: bool
    """false while the call is in progress."""
    turns: list[CallTurn]
    """In the order in which they started."""


class CallTurn(TypedDict):
    speaker: Literal["agent", "person"]
    text: str
    """For the agent: only the part that was played before an interruption."""
    started_ms: int
    """Milliseconds after the call was answered."""
    ended_ms: int
    is_interrupted: bool
    timings: CallTurnTimings | None
    """For turns of the agent: how long each step took before the first sound."""


class CallTurnTimings(TypedDict):
    endpoint_ms: float
    stt_ms: float
    first_token_ms: float
    first_byte_ms: float
    first_frame_ms: float
    total_ms: float


class Contact(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    kind: Literal["member", "contact"]
    """member: a person of your organization; contact: anyone else."""
    name: str
    phone_e164: str | None
    email: str | None
    role: str | None
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    updated_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class DnsRecord(TypedDict):
    name: str
    value: str
    type: Literal["TXT", "MX"]
    priority: int | None
    purpose: Literal["dkim", "mail_from_mx", "mail_from_spf", "dmarc", "inbound_mx"]
    status: Literal["pending", "verified", "missing", "wrong", "unknown"]
    """The result of the last verification. unknown: DNS did not respond."""
    found: list[str]
    """The value found in DNS at the last verification."""


class Email(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    conversation_id: str
    """A UUID."""
    email_domain_id: str | None
    direction: Literal["outbound", "inbound"]
    from_address: str
    to_addresses: list[str]
    cc_addresses: list[str]
    bcc_addresses: list[str]
    reply_to: str | None
    subject: str
    status: Literal["queued", "sent", "failed", "bounced", "complained", "received"]
    end_reason: Literal["smtp_rejected", "connection_failed", "timeout", "provider_error", "hard_bounce", "unconfirmed", "not_allowed"] | None
    """Why it failed or bounced. unconfirmed: the transport may have accepted the message, but its
    response was lost. A later delivery report settles it; sending again could deliver the message
    twice.
    """
    provider_message_id: str | None
    """The id of the message at the mail transport."""
    requested_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    sent_at: str | None
    failed_at: str | None
    metadata: dict[str, Any]
    from_name: str | None
    body_text: str | None
    body_html: str | None
    extracted_text: str | None
    """Inbound: the text that the sender wrote, above, below or between quotations, without quoted
    messages, signatures and hidden text.
    """
    is_auto_reply: bool
    """Inbound: true for an automatic reply, such as an out-of-office notice."""
    message_id: str | None
    """The Message-ID header, in angle brackets."""
    in_reply_to: str | None
    references_ids: list[str]
    spam_verdict: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"] | None
    virus_verdict: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"] | None
    dkim_verdict: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"] | None
    spf_verdict: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"] | None
    dmarc_verdict: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"] | None
    provider_received_at: str | None
    raw_url: str | None
    """Redirects to a temporary URL of the raw message."""
    attachments: list[EmailAttachmentLink]
    last_event_at: str | None


class EmailAttachment(TypedDict):
    id: str
    """A UUID."""
    filename: str
    content_type: str
    size_bytes: int
    sha256: str
    """SHA-256 of the content, in hexadecimal."""
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    expires_at: str
    """The upload is deleted at this time. Each email that uses it moves the time forward."""


class EmailAttachmentLink(TypedDict):
    id: str
    """A UUID."""
    filename: str
    content_type: str
    size_bytes: int
    url: str
    """Redirects to a temporary URL of the content."""


class EmailAttachmentUpload(TypedDict):
    id: str
    """A UUID."""
    filename: str
    content_type: str
    size_bytes: int
    sha256: str
    """SHA-256 of the content, in hexadecimal."""
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    expires_at: str
    """The upload is deleted at this time. Each email that uses it moves the time forward."""
    attachments: list[EmailAttachment]
    """Every file of the upload. The fields above describe the first file."""


class EmailBouncedData(TypedDict):
    id: str
    """The id of the email."""
    kind: Literal["bounced"]
    occurred_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    from_address: str
    to_addresses: list[str]
    subject: str
    detail: EmailBouncedDataDetail


class EmailBouncedDataDetail(TypedDict):
    hard: bool
    """true: sending to this address again will not succeed."""
    bounce_type: str
    """Permanent, Transient or Undetermined."""
    bounce_sub_type: str
    recipients: list[str]
    diagnostic_code: str | None
    """The response text of the rejecting server."""


class EmailClickedData(TypedDict):
    id: str
    """The id of the email."""
    kind: Literal["clicked"]
    occurred_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    from_address: str
    to_addresses: list[str]
    subject: str
    detail: EmailClickedDataDetail


class EmailClickedDataDetail(TypedDict):
    ip_address: str | None
    user_agent: str | None
    machine: bool
    """true when the request is known to come from a program and not from the reader."""
    link: str


class EmailComplainedData(TypedDict):
    id: str
    """The id of the email."""
    kind: Literal["complained"]
    occurred_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    from_address: str
    to_addresses: list[str]
    subject: str
    detail: EmailComplainedDataDetail


class EmailComplainedDataDetail(TypedDict):
    recipients: list[str]


class EmailCounters(TypedDict):
    sent: int
    """Emails accepted by the mail transport."""
    delivered: int
    """Emails reported as delivered."""
    delivery_delayed: int
    """Emails reported as delayed."""
    bounced: int
    """Emails that bounced, hard or soft."""
    bounced_hard: int
    """Emails that bounced permanently."""
    complained: int
    """Emails marked as spam."""
    rejected: int
    """Emails whose request was answered with 502. An email that a report confirms later is also
    counted as sent.
    """
    opened: int
    """All opens."""
    clicked: int
    """All clicks."""
    unique_opened: int
    """Emails opened at least once."""
    unique_clicked: int
    """Emails clicked at least once."""


class EmailCountersBucket(TypedDict):
    bucket_start: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    sent: int
    """Emails accepted by the mail transport."""
    delivered: int
    """Emails reported as delivered."""
    delivery_delayed: int
    """Emails reported as delayed."""
    bounced: int
    """Emails that bounced, hard or soft."""
    bounced_hard: int
    """Emails that bounced permanently."""
    complained: int
    """Emails marked as spam."""
    rejected: int
    """Emails whose request was answered with 502. An email that a report confirms later is also
    counted as sent.
    """
    opened: int
    """All opens."""
    clicked: int
    """All clicks."""
    unique_opened: int
    """Emails opened at least once."""
    unique_clicked: int
    """Emails clicked at least once."""


class EmailDelayedData(TypedDict):
    id: str
    """The id of the email."""
    kind: Literal["delivery_delayed"]
    occurred_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    from_address: str
    to_addresses: list[str]
    subject: str
    detail: EmailDelayedDataDetail


class EmailDelayedDataDetail(TypedDict):
    recipients: list[str]


class EmailDeliveredData(TypedDict):
    id: str
    """The id of the email."""
    kind: Literal["delivered"]
    occurred_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    from_address: str
    to_addresses: list[str]
    subject: str
    detail: EmailDeliveredDataDetail


class EmailDeliveredDataDetail(TypedDict):
    recipients: list[str]


class EmailDomain(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    kind: Literal["service_mail", "custom"]
    domain: str
    """For service_mail: the base domain of this server."""
    local_prefix_user: str | None
    local_prefix_org: str | None
    default_address: str
    """The sender of emails without "from"."""
    verification_status: Literal["pending", "verified", "failed"]
    dns_records: list[DnsRecord]
    """The DNS records to publish; empty for service_mail."""
    mail_from_domain: str
    """The domain of the return path, which receives bounces."""
    mail_from_status: Literal["pending", "verified", "failed"]
    provider: str
    verified_at: str | None
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    updated_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    inbound_enabled: bool
    forward_to: list[str]
    """Incoming mail is forwarded to these addresses: addresses whose owners confirmed it, and
    addresses on your own verified domains.
    """
    forward_pending: list[str]
    """Addresses from forward_to whose owners have not confirmed yet. Nothing is forwarded to them."""
    forward_rate_per_hour: int
    receive_ready: bool
    """true when the domain is verified, inbound_enabled is true and the MX record points to this
    server.
    """


class EmailListItem(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    conversation_id: str
    """A UUID."""
    email_domain_id: str | None
    direction: Literal["outbound", "inbound"]
    from_address: str
    to_addresses: list[str]
    cc_addresses: list[str]
    bcc_addresses: list[str]
    reply_to: str | None
    subject: str
    status: Literal["queued", "sent", "failed", "bounced", "complained", "received"]
    end_reason: Literal["smtp_rejected", "connection_failed", "timeout", "provider_error", "hard_bounce", "unconfirmed", "not_allowed"] | None
    """Why it failed or bounced. unconfirmed: the transport may have accepted the message, but its
    response was lost. A later delivery report settles it; sending again could deliver the message
    twice.
    """
    provider_message_id: str | None
    """The id of the message at the mail transport."""
    requested_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    sent_at: str | None
    failed_at: str | None
    metadata: dict[str, Any]


class EmailOpenedData(TypedDict):
    id: str
    """The id of the email."""
    kind: Literal["opened"]
    occurred_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    from_address: str
    to_addresses: list[str]
    subject: str
    detail: EmailOpenedDataDetail


class EmailOpenedDataDetail(TypedDict):
    ip_address: str | None
    user_agent: str | None
    machine: bool
    """true when the request is known to come from a program and not from the reader."""


class EmailPreview(TypedDict):
    url: str
    """Shows the HTML body in a frame in which no script can run."""
    expires_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class EmailReceivedData(TypedDict):
    id: str
    """The id of the email."""
    direction: Literal["outbound", "inbound"]
    from_address: str
    to_addresses: list[str]
    subject: str
    message_id: str | None
    in_reply_to: str | None
    spam_verdict: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"]
    virus_verdict: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"]
    spf_verdict: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"]
    dkim_verdict: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"]
    dmarc_verdict: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"]
    raw_url: str
    attachments: list[EmailAttachmentLink]


class EmailSendFailedData(TypedDict):
    id: str
    """The id of the email."""
    direction: Literal["outbound", "inbound"]
    status: Literal["failed"]
    end_reason: Literal["smtp_rejected", "connection_failed", "timeout", "provider_error", "hard_bounce", "unconfirmed", "not_allowed"]
    from_address: str
    to_addresses: list[str]
    subject: str
    failed_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    detail: dict[str, Any]


_EmailStatisticsReserved = TypedDict("_EmailStatisticsReserved", {"from": "str"})


class EmailStatistics(_EmailStatisticsReserved):
    to: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    bucket: Literal["hour", "day"]
    totals: EmailCounters
    rates: EmailStatisticsRates
    series: list[EmailCountersBucket]


class EmailStatisticsRates(TypedDict):
    delivery: float
    """delivered / sent"""
    bounce: float
    """bounced / sent"""
    complaint: float
    """complained / sent"""
    open: float
    """unique_opened / delivered"""
    click: float
    """unique_clicked / delivered"""


class EmailSuppressedData(TypedDict):
    id: str
    """The id of the email."""
    direction: Literal["outbound", "inbound"]
    from_address: str
    to_addresses: list[str]
    subject: str
    message_id: str | None
    reason: Literal["forward_loop", "forward_rate_limit", "inbound_rate_limit", "insufficient_funds"]


class EmailSuppression(TypedDict):
    id: str
    """A UUID."""
    recipient: str
    channel: Literal["email"]
    reason: Literal["hard_bounce", "complaint", "unsubscribe", "manual"]
    source: str
    """api, or the kind of report that caused the suppression."""
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class EmailTimelineEntry(TypedDict):
    id: str
    """A UUID."""
    kind: Literal["sent", "send_failed", "delivered", "delivery_delayed", "bounced", "complained", "opened", "clicked", "unsubscribed", "received", "received_suppressed", "forwarded", "forward_failed", "unreadable_report"]
    """unreadable_report: a message arrived at the return path that is neither a known report nor an
    automatic reply. GET /v1/emails/{email_id}/attachments/{attachment_id} with detail.attachment_id
    returns it while it is stored.
    """
    occurred_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    detail: dict[str, Any]


class EmailWait(TypedDict):
    email: Email | None
    """The first email that matches; null when the time is up."""
    code: str | None
    """The verification code in its text, if there is one."""


class Event(TypedDict):
    id: str
    """The id of the event; the same in every delivery."""
    type: str
    """The event type."""
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: dict[str, Any]


class GoLive(TypedDict):
    ready: bool
    """true when no item is missing."""
    items: list[GoLiveItem]


class GoLiveItem(TypedDict):
    check: Literal["base_url", "callbacks", "carrier", "number", "llm", "mail_transport", "dns", "webhooks", "database", "master_key"]
    status: Literal["ok", "missing", "warning"]
    """missing: the channels in needed_for do not work without it. warning: they work, but something
    should be changed.
    """
    needed_for: list[Literal["calls", "emails", "sms"]]
    """The channels that need it."""
    managed_by: Literal["operator", "organization"]
    """Who can change it: the operator of the server, or every organization for itself."""
    detail: str
    """What was found."""
    fix: str | None
    """What to do; null when nothing is to be done."""
    settings: list[str]
    """Settings of the server that the fix uses."""
    command: str | None
    """A command that does it; null when a setting does it."""
    guide: str | None
    """The guide that explains it, below /guides/."""


class Identity(TypedDict):
    auth_kind: Literal["shared_key", "apikey", "jwt"]
    """The kind of the credential."""
    organization_id: str
    """The organization whose records this credential can access."""
    user_id: str
    """A UUID."""
    email: str | None
    name: str | None
    superadmin: bool
    """true if this credential may use the administration endpoints: the shared key, a recent console
    session of a superadmin, or a superadmin’s key with the scope admin.
    """


class Invitation(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    email: str
    role: Literal["owner", "admin", "member"]
    """owner and admin may invite, change and remove people; only an owner can make another person an
    owner.
    """
    invited_by: str | None
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    expires_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    accepted_at: str | None


class KillSwitch(TypedDict):
    calls: bool
    """true: no organization can send anything new on this channel."""
    emails: bool
    """true: no organization can send anything new on this channel."""
    sms: bool
    """true: no organization can send anything new on this channel."""


class LedgerEntry(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    kind: Literal["credit", "charge"]
    amount_micros: int
    """Positive for a credit, negative for a charge, in millionths."""
    balance_micros: int
    """The balance after this entry."""
    item: Literal["call_minute", "sms_segment", "number_setup", "number_month", "inbound_email"] | None
    quantity: int | None
    reference: str | None
    """The record that was charged, such as the id of a call."""
    note: str | None
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class Member(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    user_id: str
    """A UUID."""
    contact_id: str | None
    """The contact record of this person, of kind member."""
    role: Literal["owner", "admin", "member"]
    """owner and admin may invite, change and remove people; only an owner can make another person an
    owner.
    """
    email: str
    name: str
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class NewApiKey(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    user_id: str
    """The person who owns the key. The key works while that person is a member."""
    name: str
    start: str
    """The first characters of the key, to identify it in a list."""
    scopes: list[str]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    expires_at: str | None
    """null: the key does not expire."""
    last_used_at: str | None
    """Accurate to the minute."""
    key: str
    """The key itself. It is returned only in this response."""


class NewInvitation(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    email: str
    role: Literal["owner", "admin", "member"]
    """owner and admin may invite, change and remove people; only an owner can make another person an
    owner.
    """
    invited_by: str | None
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    expires_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    accepted_at: str | None
    accept_url: str
    """Send this link to the person. It is returned only in this response."""


class NumberOffer(TypedDict):
    quote_id: str
    """Send it to POST /v1/numbers to buy at this price."""
    provider: str
    e164: str | None
    pattern: str | None
    """Pattern of the number, if the carrier assigns the number only on purchase."""
    country_code: str
    number_type: Literal["local", "mobile", "toll_free", "national"]
    capabilities: list[Literal["voice", "sms"]]
    monthly_cents: int | None
    """null if the carrier does not publish its price."""
    setup_cents: int | None
    currency: str
    readiness: Literal["ready", "verification_required"]
    """verification_required: the purchase needs an approved verification for this country and type."""
    expires_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class NumberOffers(TypedDict):
    offers: list[NumberOffer]


class OauthGrant(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    user_id: str
    """The person who allowed the program."""
    client_id: str
    client_name: str | None
    """The name that the program gave itself; it is not verified."""
    redirect_uris: list[str]
    """The redirect URIs of the program."""
    scopes: list[str]
    created_at: str
    """When the person first allowed it."""
    updated_at: str
    """When the person last allowed it."""


class Organization(TypedDict):
    id: str
    """A UUID."""
    name: str
    origin: Literal["human", "agent"]
    """agent: created by or for a program; its calls, emails and texts have an hourly cap."""
    velocity_caps: VelocityCaps
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    updated_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class OrganizationPatchVelocityCaps(TypedDict, total=False):
    calls: int | None
    """Maximum per hour. null: the default for the origin, which for human is no cap."""
    emails: int | None
    """Maximum per hour. null: the default for the origin, which for human is no cap."""
    sms: int | None
    """Maximum per hour. null: the default for the origin, which for human is no cap."""


class PasswordLink(TypedDict):
    url: str
    """Send this link to the person. It is returned only in this response."""
    expires_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class PhoneNumber(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    provider: str
    """The carrier that holds the number."""
    e164: str
    """A phone number in E.164 form, such as +14155550123."""
    country_code: str
    number_type: Literal["local", "mobile", "toll_free", "national"]
    capabilities: list[Literal["voice", "sms"]]
    provisioning_state: Literal["pending", "active", "failed", "released"]
    failure_reason: str | None
    """Why the carrier refused the purchase."""
    is_dedicated: bool
    """true: used by this organization only. Pool numbers are shared."""
    messaging_service_sid: str | None
    """The id of the carrier’s sender group, if the carrier has one."""
    voice_agent_id: str | None
    """The agent that answers calls to the number."""
    sms_agent_id: str | None
    """The agent that replies to texts to the number."""
    inbound_registered: bool
    """true if the carrier delivers calls and texts of this number to this server."""
    monthly_cents: int | None
    """null if the carrier does not publish its price."""
    setup_cents: int | None
    currency: str
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    updated_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    released_at: str | None


class PoolNumber(TypedDict):
    id: str
    """A UUID."""
    provider: str
    e164: str
    """A phone number in E.164 form, such as +14155550123."""
    country_code: str
    number_type: Literal["local", "mobile", "toll_free", "national"]
    capabilities: list[Literal["voice", "sms"]]
    provisioning_state: Literal["active", "failed"]
    """failed: in quarantine, not assigned to calls."""
    is_dedicated: Literal[False]
    bound_call_id: str | None
    """The call that uses the number right now."""
    bound_at: str | None
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    updated_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class Prices(TypedDict):
    """The price per unit, in millionths."""

    call_minute: int
    """Millionths of the currency unit: 1 000 000 is one dollar."""
    sms_segment: int
    """Millionths of the currency unit: 1 000 000 is one dollar."""
    number_setup: int
    """Millionths of the currency unit: 1 000 000 is one dollar."""
    number_month: int
    """Millionths of the currency unit: 1 000 000 is one dollar."""
    inbound_email: int
    """Millionths of the currency unit: 1 000 000 is one dollar."""


class ProviderConfiguration(TypedDict):
    layer: Literal["llm", "stt", "tts"]
    provider: str
    key_last4: str
    """The last four characters of the stored key."""
    key_set_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    params: dict[str, Any]
    fallback_enabled: bool
    """Whether to fall back to another provider when this one fails."""
    is_active: bool


class ProviderConfigurationList(TypedDict):
    items: list[ProviderConfiguration]
    next_cursor: None
    known: list[ProviderConfigurationListKnown]
    """Providers that can be set on this server, with their supported params."""


class ProviderConfigurationListKnown(TypedDict):
    layer: Literal["llm", "stt", "tts"]
    provider: str
    params: list[str]


class ProviderTest(TypedDict):
    layer: Literal["llm", "stt", "tts"]
    provider: str
    ok: bool
    """Whether the provider accepted the key."""
    status_code: int | None
    """The HTTP status of the provider’s response; null if there was none."""
    error: str | None
    """key_refused, unexpected_status, timeout, dns_failed, connection_failed, tls_failed or
    target_not_allowed.
    """
    duration_ms: int


class SandboxCallStepConverse(TypedDict):
    do: Literal["converse"]


class SandboxCallStepHangUp(TypedDict):
    do: Literal["hang_up"]


class SandboxCallStepPress(TypedDict):
    do: Literal["press"]
    digits: str


class SandboxCallStepSay(TypedDict):
    do: Literal["say"]
    text: str


class SandboxCallStepWait(TypedDict):
    do: Literal["wait"]
    seconds: float


class SandboxCallStepWaitForTurn(TypedDict):
    do: Literal["wait_for_turn"]


class SandboxClock(TypedDict):
    now: str
    """The current time of the service."""
    offset_seconds: float
    """How far it is ahead of the system clock."""


class SandboxEvents(TypedDict):
    items: list[Event]


class SandboxInboundCallAnswer(TypedDict):
    is_answered: bool
    """false when the call was declined because no agent answers that number."""
    call: Call | None


class _SandboxInboundEmailAttachmentsRequired(TypedDict):
    filename: str
    content_base64: str


class SandboxInboundEmailAttachments(_SandboxInboundEmailAttachmentsRequired, total=False):
    content_type: str


class SandboxInboundEmailVerdicts(TypedDict, total=False):
    """The results of the checks. Default: spam and virus as reported by the scanners; DISABLED for the
    others, because there is no sending server to check.
    """

    spam: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"]
    virus: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"]
    spf: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"]
    dkim: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"]
    dmarc: Literal["PASS", "FAIL", "GRAY", "PROCESSING_FAILED", "DISABLED"]


_SandboxMessageReserved = TypedDict("_SandboxMessageReserved", {"from": "str"})


class SandboxMessage(_SandboxMessageReserved):
    id: str
    """A UUID."""
    channel: Literal["email", "sms", "call"]
    resource_id: str
    """The id of the email, text or call."""
    handed_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    to: list[str]
    message: dict[str, Any]
    """The message as the transport received it."""


_SandboxPhoneCallReserved = TypedDict("_SandboxPhoneCallReserved", {"from": "str"})


class SandboxPhoneCall(_SandboxPhoneCallReserved):
    call_id: str
    """A UUID."""
    status: Literal["ringing", "in_progress", "ended"]
    direction: Literal["outbound", "inbound"]
    """From the view of your agent: outbound when it calls you."""
    to: str
    """A phone number in E.164 form, such as +14155550123."""
    since: str
    """When it started to ring, or when it was answered."""


class SandboxPhoneCalls(TypedDict):
    items: list[SandboxPhoneCall]


class SandboxPhoneSound(TypedDict):
    url: str


_SmsReserved = TypedDict("_SmsReserved", {"from": "str"})


class Sms(_SmsReserved):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    conversation_id: str
    """The same for all texts between one sender and one phone."""
    direction: Literal["outbound", "inbound"]
    to: str
    body: str
    status: Literal["queued", "sent", "delivered", "undelivered", "failed", "received"]
    error_code: Literal["recipient_opted_out", "invalid_recipient", "invalid_sender", "unreachable", "filtered", "rejected", "carrier_unavailable", "unconfirmed", "undelivered", "not_allowed"] | None
    segments: int
    """The number of segments the text is sent and billed as."""
    encoding: Literal["gsm7", "ucs2"]
    provider: str
    provider_message_id: str | None
    requested_at: str
    """When the service accepted it; for an inbound text, when it was received."""
    sent_at: str | None
    delivered_at: str | None
    failed_at: str | None
    metadata: dict[str, Any]


_SmsEventDataReserved = TypedDict("_SmsEventDataReserved", {"from": "str"})


class SmsEventData(_SmsEventDataReserved):
    id: str
    """The id of the text."""
    to: str
    status: Literal["queued", "sent", "delivered", "undelivered", "failed", "received"]
    error_code: Literal["recipient_opted_out", "invalid_recipient", "invalid_sender", "unreachable", "filtered", "rejected", "carrier_unavailable", "unconfirmed", "undelivered", "not_allowed"] | None
    occurred_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


_SmsNotAnsweredDataReserved = TypedDict("_SmsNotAnsweredDataReserved", {"from": "str"})


class SmsNotAnsweredData(_SmsNotAnsweredDataReserved):
    id: str
    """The id of the text that came in."""
    to: str
    agent_id: str
    """A UUID."""
    reason: Literal["llm_not_configured", "llm_failed", "kill_switch", "destination_not_allowed", "recipient_suppressed", "velocity_capped", "insufficient_funds", "reply_limit"]
    detail: str
    """The reason, and how to fix it."""


_SmsReceivedDataReserved = TypedDict("_SmsReceivedDataReserved", {"from": "str"})


class SmsReceivedData(_SmsReceivedDataReserved):
    id: str
    """The id of the text."""
    to: str
    body: str


class SmsSenderId(TypedDict):
    custom_sender_id: str | None
    effective_default: str | None
    """The sender of a text without "from"."""


class SmsSuppression(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    recipient: str
    channel: Literal["sms"]
    reason: Literal["opt_out", "carrier_refusal", "manual"]
    source: Literal["keyword", "carrier", "api"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class SmsWait(TypedDict):
    sms: Sms | None
    """The first text that matches; null when the time is up."""
    code: str | None
    """The verification code in its body, if there is one."""


class User(TypedDict):
    id: str
    """A UUID."""
    email: str
    name: str
    superadmin: bool
    external_subject: str | None
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class VelocityCaps(TypedDict):
    calls: int | None
    """Maximum per hour. null: the default for the origin, which for human is no cap."""
    emails: int | None
    """Maximum per hour. null: the default for the origin, which for human is no cap."""
    sms: int | None
    """Maximum per hour. null: the default for the origin, which for human is no cap."""


class Verification(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    provider: str
    country_code: str
    number_type: Literal["local", "mobile", "toll_free", "national"]
    subject_type: Literal["individual", "business"]
    subject_name: str
    state: Literal["draft", "submitted", "in_review", "approved", "rejected", "canceled"]
    rejection_reason: str | None
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    updated_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    submitted_at: str | None
    approved_at: str | None


class VerificationCreateAddress(TypedDict):
    street: str
    city: str
    postal_code: str
    country_code: str
    """Two-letter country code (ISO 3166-1), such as US."""


class WebhookAttempt(TypedDict):
    attempted_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    status_code: int | None
    """null if there was no response."""
    duration_ms: int
    error: Literal["bad_status", "redirect_not_followed", "timeout", "dns_failed", "connection_failed", "tls_failed", "target_not_allowed", "response_headers_too_large", "response_invalid", "internal_error"] | None
    """null if the receiver accepted the event."""
    response_body: str | None
    """The first 4096 bytes of the response, as text."""


class WebhookDelivery(TypedDict):
    id: str
    """The X-Service-Delivery header; the same on every attempt."""
    organization_id: str
    """A UUID."""
    subscription_id: str
    """A UUID."""
    event_id: str
    """A UUID."""
    event_type: str
    is_test: bool
    status: Literal["pending", "delivered", "dead"]
    attempt_count: int
    last_status_code: int | None
    last_error: str | None
    next_attempt_at: str | None
    """null if no attempt is scheduled."""
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    delivered_at: str | None


class WebhookDeliveryWithAttempts(TypedDict):
    id: str
    """The X-Service-Delivery header; the same on every attempt."""
    organization_id: str
    """A UUID."""
    subscription_id: str
    """A UUID."""
    event_id: str
    """A UUID."""
    event_type: str
    is_test: bool
    status: Literal["pending", "delivered", "dead"]
    attempt_count: int
    last_status_code: int | None
    last_error: str | None
    next_attempt_at: str | None
    """null if no attempt is scheduled."""
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    delivered_at: str | None
    attempts: list[WebhookAttempt]
    """Oldest first; the newest 100 are stored."""


class WebhookSubscription(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    target_url: str
    event_types: list[str]
    email_domain_id: str | None
    """If set, only events of this email domain are delivered."""
    status: Literal["active", "disabled"]
    """disabled: no event is queued or delivered."""
    disabled_reason: Literal["switched_off", "kept_failing"] | None
    """kept_failing: 50 consecutive deliveries failed."""
    dead_streak: int
    """Consecutive failed deliveries since the last successful one."""
    previous_secret_expires_at: str | None
    """Until this time deliveries are also signed with the previous secret."""
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    updated_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""


class WebhookSubscriptionWithSecret(TypedDict):
    id: str
    """A UUID."""
    organization_id: str
    """A UUID."""
    target_url: str
    event_types: list[str]
    email_domain_id: str | None
    """If set, only events of this email domain are delivered."""
    status: Literal["active", "disabled"]
    """disabled: no event is queued or delivered."""
    disabled_reason: Literal["switched_off", "kept_failing"] | None
    """kept_failing: 50 consecutive deliveries failed."""
    dead_streak: int
    """Consecutive failed deliveries since the last successful one."""
    previous_secret_expires_at: str | None
    """Until this time deliveries are also signed with the previous secret."""
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    updated_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    secret: str
    """Used to verify deliveries. Returned only in this response."""


SandboxCallStep: TypeAlias = Union[SandboxCallStepSay, SandboxCallStepWait, SandboxCallStepWaitForTurn, SandboxCallStepPress, SandboxCallStepConverse, SandboxCallStepHangUp]
