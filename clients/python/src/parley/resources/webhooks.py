# Made by `npm run generate`; edits are lost.
"""The operations on `webhooks`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from parley._extras import AsyncWebhookExtras, WebhookExtras
from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import WebhookDelivery, WebhookDeliveryWithAttempts, WebhookSubscription, WebhookSubscriptionWithSecret


class WebhooksResource(WebhookExtras):
    """Signed HTTP requests to your server for each event, with a log of every attempt."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        target_url: str,
        event_types: Sequence[Literal["call.answered", "call.completed", "call.failed", "call.busy", "call.no_answer", "email.received", "email.received.suppressed", "email.delivered", "email.delivery_delayed", "email.bounced", "email.complained", "email.opened", "email.clicked", "email.send_failed", "sms.received", "sms.delivered", "sms.undelivered", "sms.failed", "sms.not_answered"]],
        email_domain_id: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> WebhookSubscriptionWithSecret:
        """Subscribe a URL to events.

        The response contains the signing secret, which is returned only once.

        Args:
            target_url: The URL events are sent to: http or https, without a user name or password.
            event_types: The event types to deliver.
            email_domain_id: Limits the subscription to one email domain.
        """
        result: WebhookSubscriptionWithSecret = self._transport.json(
            "POST",
            "/v1/webhooks",
            body={
                "target_url": target_url,
                "event_types": event_types,
                "email_domain_id": email_domain_id,
            },
            options=options,
        )
        return result

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[WebhookSubscription]:
        """List subscriptions, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/webhooks",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def get(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> WebhookSubscription:
        """Read one subscription."""
        result: WebhookSubscription = self._transport.json(
            "GET",
            f"/v1/webhooks/{segment(subscription_id)}",
            options=options,
        )
        return result

    def update(
        self,
        subscription_id: str,
        *,
        target_url: str | Unset = UNSET,
        event_types: Sequence[Literal["call.answered", "call.completed", "call.failed", "call.busy", "call.no_answer", "email.received", "email.received.suppressed", "email.delivered", "email.delivery_delayed", "email.bounced", "email.complained", "email.opened", "email.clicked", "email.send_failed", "sms.received", "sms.delivered", "sms.undelivered", "sms.failed", "sms.not_answered"]] | Unset = UNSET,
        status: Literal["active", "disabled"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> WebhookSubscription:
        """Change, disable or enable a subscription.

        Args:
            target_url: The URL events are sent to: http or https, without a user name or password.
            event_types: The event types to deliver.
            status: active resets the failure count and resumes waiting deliveries.
        """
        result: WebhookSubscription = self._transport.json(
            "PATCH",
            f"/v1/webhooks/{segment(subscription_id)}",
            body={
                "target_url": target_url,
                "event_types": event_types,
                "status": status,
            },
            options=options,
        )
        return result

    def delete(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete a subscription and its log."""
        self._transport.json(
            "DELETE",
            f"/v1/webhooks/{segment(subscription_id)}",
            options=options,
        )

    def rotate_secret(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> WebhookSubscriptionWithSecret:
        """Replace the signing secret.

        The new secret is returned only once. For 24 hours deliveries are signed with both secrets.
        """
        result: WebhookSubscriptionWithSecret = self._transport.json(
            "POST",
            f"/v1/webhooks/{segment(subscription_id)}/rotate-secret",
            options=options,
        )
        return result

    def test(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> WebhookDelivery:
        """Send an example event to one subscription.

        Makes one immediate attempt with the example of its first event type. Read the delivery to
        see the result. The event is not added to the event log, and a failure is not counted.
        """
        result: WebhookDelivery = self._transport.json(
            "POST",
            f"/v1/webhooks/{segment(subscription_id)}/test",
            options=options,
        )
        return result

    def list_deliveries(
        self,
        subscription_id: str,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        status: Literal["pending", "delivered", "dead"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[WebhookDelivery]:
        """List the deliveries of a subscription, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            status: Only deliveries with this status.
        """
        return Page.first(
            self._transport,
            f"/v1/webhooks/{segment(subscription_id)}/deliveries",
            query={
                "cursor": cursor,
                "limit": limit,
                "status": status,
            },
            options=options,
        )

    def get_delivery(
        self,
        subscription_id: str,
        delivery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> WebhookDeliveryWithAttempts:
        """Read one delivery with its attempts."""
        result: WebhookDeliveryWithAttempts = self._transport.json(
            "GET",
            f"/v1/webhooks/{segment(subscription_id)}/deliveries/{segment(delivery_id)}",
            options=options,
        )
        return result

    def redeliver(
        self,
        subscription_id: str,
        delivery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> WebhookDelivery:
        """Send one delivery again.

        Makes one immediate attempt with the same delivery id and body, whatever the status of the
        delivery and of its subscription. Scheduled attempts are not changed.
        """
        result: WebhookDelivery = self._transport.json(
            "POST",
            f"/v1/webhooks/{segment(subscription_id)}/deliveries/{segment(delivery_id)}/redeliver",
            options=options,
        )
        return result


class AsyncWebhooksResource(AsyncWebhookExtras):
    """Signed HTTP requests to your server for each event, with a log of every attempt."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        target_url: str,
        event_types: Sequence[Literal["call.answered", "call.completed", "call.failed", "call.busy", "call.no_answer", "email.received", "email.received.suppressed", "email.delivered", "email.delivery_delayed", "email.bounced", "email.complained", "email.opened", "email.clicked", "email.send_failed", "sms.received", "sms.delivered", "sms.undelivered", "sms.failed", "sms.not_answered"]],
        email_domain_id: str | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> WebhookSubscriptionWithSecret:
        """Subscribe a URL to events.

        The response contains the signing secret, which is returned only once.

        Args:
            target_url: The URL events are sent to: http or https, without a user name or password.
            event_types: The event types to deliver.
            email_domain_id: Limits the subscription to one email domain.
        """
        result: WebhookSubscriptionWithSecret = await self._transport.json(
            "POST",
            "/v1/webhooks",
            body={
                "target_url": target_url,
                "event_types": event_types,
                "email_domain_id": email_domain_id,
            },
            options=options,
        )
        return result

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[WebhookSubscription]:
        """List subscriptions, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/webhooks",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def get(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> WebhookSubscription:
        """Read one subscription."""
        result: WebhookSubscription = await self._transport.json(
            "GET",
            f"/v1/webhooks/{segment(subscription_id)}",
            options=options,
        )
        return result

    async def update(
        self,
        subscription_id: str,
        *,
        target_url: str | Unset = UNSET,
        event_types: Sequence[Literal["call.answered", "call.completed", "call.failed", "call.busy", "call.no_answer", "email.received", "email.received.suppressed", "email.delivered", "email.delivery_delayed", "email.bounced", "email.complained", "email.opened", "email.clicked", "email.send_failed", "sms.received", "sms.delivered", "sms.undelivered", "sms.failed", "sms.not_answered"]] | Unset = UNSET,
        status: Literal["active", "disabled"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> WebhookSubscription:
        """Change, disable or enable a subscription.

        Args:
            target_url: The URL events are sent to: http or https, without a user name or password.
            event_types: The event types to deliver.
            status: active resets the failure count and resumes waiting deliveries.
        """
        result: WebhookSubscription = await self._transport.json(
            "PATCH",
            f"/v1/webhooks/{segment(subscription_id)}",
            body={
                "target_url": target_url,
                "event_types": event_types,
                "status": status,
            },
            options=options,
        )
        return result

    async def delete(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Delete a subscription and its log."""
        await self._transport.json(
            "DELETE",
            f"/v1/webhooks/{segment(subscription_id)}",
            options=options,
        )

    async def rotate_secret(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> WebhookSubscriptionWithSecret:
        """Replace the signing secret.

        The new secret is returned only once. For 24 hours deliveries are signed with both secrets.
        """
        result: WebhookSubscriptionWithSecret = await self._transport.json(
            "POST",
            f"/v1/webhooks/{segment(subscription_id)}/rotate-secret",
            options=options,
        )
        return result

    async def test(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> WebhookDelivery:
        """Send an example event to one subscription.

        Makes one immediate attempt with the example of its first event type. Read the delivery to
        see the result. The event is not added to the event log, and a failure is not counted.
        """
        result: WebhookDelivery = await self._transport.json(
            "POST",
            f"/v1/webhooks/{segment(subscription_id)}/test",
            options=options,
        )
        return result

    def list_deliveries(
        self,
        subscription_id: str,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        status: Literal["pending", "delivered", "dead"] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[WebhookDelivery]:
        """List the deliveries of a subscription, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            status: Only deliveries with this status.
        """
        return AsyncList(
            self._transport,
            f"/v1/webhooks/{segment(subscription_id)}/deliveries",
            query={
                "cursor": cursor,
                "limit": limit,
                "status": status,
            },
            options=options,
        )

    async def get_delivery(
        self,
        subscription_id: str,
        delivery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> WebhookDeliveryWithAttempts:
        """Read one delivery with its attempts."""
        result: WebhookDeliveryWithAttempts = await self._transport.json(
            "GET",
            f"/v1/webhooks/{segment(subscription_id)}/deliveries/{segment(delivery_id)}",
            options=options,
        )
        return result

    async def redeliver(
        self,
        subscription_id: str,
        delivery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> WebhookDelivery:
        """Send one delivery again.

        Makes one immediate attempt with the same delivery id and body, whatever the status of the
        delivery and of its subscription. Scheduled attempts are not changed.
        """
        result: WebhookDelivery = await self._transport.json(
            "POST",
            f"/v1/webhooks/{segment(subscription_id)}/deliveries/{segment(delivery_id)}/redeliver",
            options=options,
        )
        return result
