# Made by `npm run generate`; edits are lost.
"""The events that webhooks and the event stream deliver."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict, Union

from parley.records import (
    CallEventData,
    EmailBouncedData,
    EmailClickedData,
    EmailComplainedData,
    EmailDelayedData,
    EmailDeliveredData,
    EmailOpenedData,
    EmailReceivedData,
    EmailSendFailedData,
    EmailSuppressedData,
    SmsEventData,
    SmsNotAnsweredData,
    SmsReceivedData,
)


class CallAnsweredEvent(TypedDict):
    """The callee answered."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["call.answered"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: CallEventData


class CallCompletedEvent(TypedDict):
    """The call ended normally."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["call.completed"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: CallEventData


class CallFailedEvent(TypedDict):
    """The call could not be connected, broke off, or was ended by the service."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["call.failed"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: CallEventData


class CallBusyEvent(TypedDict):
    """The callee was busy or declined."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["call.busy"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: CallEventData


class CallNoAnswerEvent(TypedDict):
    """The callee did not answer in time."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["call.no_answer"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: CallEventData


class EmailReceivedEvent(TypedDict):
    """An inbound message was accepted."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["email.received"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: EmailReceivedData


class EmailReceivedSuppressedEvent(TypedDict):
    """An inbound message was accepted, but was not forwarded; one event per reason."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["email.received.suppressed"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: EmailSuppressedData


class EmailDeliveredEvent(TypedDict):
    """The transport accepted the message for delivery."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["email.delivered"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: EmailDeliveredData


class EmailDeliveryDelayedEvent(TypedDict):
    """The message is delayed; the transport keeps trying to deliver it."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["email.delivery_delayed"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: EmailDelayedData


class EmailBouncedEvent(TypedDict):
    """The recipient’s mail server rejected the message, permanently (hard) or temporarily (soft)."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["email.bounced"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: EmailBouncedData


class EmailComplainedEvent(TypedDict):
    """The recipient marked the message as spam."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["email.complained"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: EmailComplainedData


class EmailOpenedEvent(TypedDict):
    """The message was opened, as reported by its tracking pixel; only for messages with an HTML body."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["email.opened"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: EmailOpenedData


class EmailClickedEvent(TypedDict):
    """A tracked link was opened; only for messages with an HTML body."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["email.clicked"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: EmailClickedData


class EmailSendFailedEvent(TypedDict):
    """An outbound message could not be sent; POST /v1/emails returned 502."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["email.send_failed"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: EmailSendFailedData


class SmsReceivedEvent(TypedDict):
    """A text was received."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["sms.received"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: SmsReceivedData


class SmsDeliveredEvent(TypedDict):
    """The carrier confirmed that the text arrived."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["sms.delivered"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: SmsEventData


class SmsUndeliveredEvent(TypedDict):
    """The carrier reported that the text did not arrive."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["sms.undelivered"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: SmsEventData


class SmsFailedEvent(TypedDict):
    """The text could not be sent, or the carrier rejected it."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["sms.failed"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: SmsEventData


class SmsNotAnsweredEvent(TypedDict):
    """A text was received for an agent, and the agent does not reply to it."""

    id: str
    """The id of the event; the same in every delivery."""
    type: Literal["sms.not_answered"]
    api_version: Literal["2026-06-06"]
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z."""
    organization_id: str
    """A UUID."""
    data: SmsNotAnsweredData


EventType: TypeAlias = Literal[
    "call.answered",
    "call.completed",
    "call.failed",
    "call.busy",
    "call.no_answer",
    "email.received",
    "email.received.suppressed",
    "email.delivered",
    "email.delivery_delayed",
    "email.bounced",
    "email.complained",
    "email.opened",
    "email.clicked",
    "email.send_failed",
    "sms.received",
    "sms.delivered",
    "sms.undelivered",
    "sms.failed",
    "sms.not_answered",
]

AnyEvent: TypeAlias = Union[
    CallAnsweredEvent,
    CallCompletedEvent,
    CallFailedEvent,
    CallBusyEvent,
    CallNoAnswerEvent,
    EmailReceivedEvent,
    EmailReceivedSuppressedEvent,
    EmailDeliveredEvent,
    EmailDeliveryDelayedEvent,
    EmailBouncedEvent,
    EmailComplainedEvent,
    EmailOpenedEvent,
    EmailClickedEvent,
    EmailSendFailedEvent,
    SmsReceivedEvent,
    SmsDeliveredEvent,
    SmsUndeliveredEvent,
    SmsFailedEvent,
    SmsNotAnsweredEvent,
]
"""Narrow it by its key `type`."""
