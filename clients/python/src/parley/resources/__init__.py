# Made by `npm run generate`; edits are lost.
"""The resources of both clients."""

from __future__ import annotations

from parley._transport import AsyncTransport, Transport
from parley.resources.agents import AsyncAgentsResource, AgentsResource
from parley.resources.api_keys import AsyncApiKeysResource, ApiKeysResource
from parley.resources.audit_log import AsyncAuditLogResource, AuditLogResource
from parley.resources.calls import AsyncCallsResource, CallsResource
from parley.resources.contacts import AsyncContactsResource, ContactsResource
from parley.resources.email_attachments import AsyncEmailAttachmentsResource, EmailAttachmentsResource
from parley.resources.email_domains import AsyncEmailDomainsResource, EmailDomainsResource
from parley.resources.email_suppressions import AsyncEmailSuppressionsResource, EmailSuppressionsResource
from parley.resources.emails import AsyncEmailsResource, EmailsResource
from parley.resources.events import AsyncEventsResource, EventsResource
from parley.resources.funds import AsyncFundsResource, FundsResource
from parley.resources.go_live import AsyncGoLiveResource, GoLiveResource
from parley.resources.identity import AsyncIdentityResource, IdentityResource
from parley.resources.invitations import AsyncInvitationsResource, InvitationsResource
from parley.resources.kill_switch import AsyncKillSwitchResource, KillSwitchResource
from parley.resources.members import AsyncMembersResource, MembersResource
from parley.resources.numbers import AsyncNumbersResource, NumbersResource
from parley.resources.oauth_grants import AsyncOauthGrantsResource, OauthGrantsResource
from parley.resources.organizations import AsyncOrganizationsResource, OrganizationsResource
from parley.resources.pool_numbers import AsyncPoolNumbersResource, PoolNumbersResource
from parley.resources.providers import AsyncProvidersResource, ProvidersResource
from parley.resources.sandbox import AsyncSandboxResource, SandboxResource
from parley.resources.sandbox_emails import AsyncSandboxEmailsResource, SandboxEmailsResource
from parley.resources.sandbox_outbox import AsyncSandboxOutboxResource, SandboxOutboxResource
from parley.resources.sandbox_phone import AsyncSandboxPhoneResource, SandboxPhoneResource
from parley.resources.sandbox_sms import AsyncSandboxSmsResource, SandboxSmsResource
from parley.resources.sms import AsyncSmsResource, SmsResource
from parley.resources.verifications import AsyncVerificationsResource, VerificationsResource
from parley.resources.webhooks import AsyncWebhooksResource, WebhooksResource


class Resources:
    """Every resource of the sync client."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.identity = IdentityResource(transport)
        """The owner and the rights of your credential."""
        self.go_live = GoLiveResource(transport)
        """What is missing before the server can reach real people."""
        self.api_keys = ApiKeysResource(transport)
        """API keys for your programs; managed mode only."""
        self.oauth_grants = OauthGrantsResource(transport)
        """Programs that people connected with OAuth; managed mode only."""
        self.members = MembersResource(transport)
        """The people of your organization; managed mode only."""
        self.invitations = InvitationsResource(transport)
        """Invitation links for new members."""
        self.contacts = ContactsResource(transport)
        """The people your agents communicate with."""
        self.calls = CallsResource(transport)
        """Phone calls."""
        self.emails = EmailsResource(transport)
        """Send and read email."""
        self.email_attachments = EmailAttachmentsResource(transport)
        """Files to attach to emails."""
        self.email_domains = EmailDomainsResource(transport)
        """The domains you send from and receive at."""
        self.email_suppressions = EmailSuppressionsResource(transport)
        """Addresses that bounced permanently, complained or unsubscribed, or that you added. Emails to
        them are rejected.
        """
        self.agents = AgentsResource(transport)
        """Agents that handle calls and texts on your numbers."""
        self.numbers = NumbersResource(transport)
        """Your phone numbers."""
        self.verifications = VerificationsResource(transport)
        """Proof of who uses a number, where a country requires it."""
        self.sms = SmsResource(transport)
        """Text messages in both directions."""
        self.webhooks = WebhooksResource(transport)
        """Signed HTTP requests to your server for each event, with a log of every attempt."""
        self.events = EventsResource(transport)
        """The same events that webhooks deliver, to list or to stream without a public URL."""
        self.sandbox = SandboxResource(transport)
        """Tools for tests and first steps. With PARLEY_SANDBOX=off these endpoints do not exist. In
        managed mode only superadmins may move the clock and create events.
        """
        self.sandbox_outbox = SandboxOutboxResource(transport)
        """What the sandbox transports received instead of sending it."""
        self.sandbox_sms = SandboxSmsResource(transport)
        """Simulate another phone; only with the sandbox on."""
        self.sandbox_emails = SandboxEmailsResource(transport)
        """Simulate another mail server; only with the sandbox on."""
        self.sandbox_phone = SandboxPhoneResource(transport)
        """A phone to try the service with: it rings when an agent calls your own number."""
        self.providers = ProvidersResource(transport)
        """Your own LLM, speech-to-text and text-to-speech providers."""
        self.funds = FundsResource(transport)
        """The balance and the charges of your organization."""
        self.organizations = OrganizationsResource(transport)
        """Organizations; superadmins only."""
        self.pool_numbers = PoolNumbersResource(transport)
        """Shared numbers; superadmins only."""
        self.kill_switch = KillSwitchResource(transport)
        """Stops a channel for every organization; superadmins only."""
        self.audit_log = AuditLogResource(transport)
        """Who changed what; superadmins only."""


class AsyncResources:
    """Every resource of the async client."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.identity = AsyncIdentityResource(transport)
        """The owner and the rights of your credential."""
        self.go_live = AsyncGoLiveResource(transport)
        """What is missing before the server can reach real people."""
        self.api_keys = AsyncApiKeysResource(transport)
        """API keys for your programs; managed mode only."""
        self.oauth_grants = AsyncOauthGrantsResource(transport)
        """Programs that people connected with OAuth; managed mode only."""
        self.members = AsyncMembersResource(transport)
        """The people of your organization; managed mode only."""
        self.invitations = AsyncInvitationsResource(transport)
        """Invitation links for new members."""
        self.contacts = AsyncContactsResource(transport)
        """The people your agents communicate with."""
        self.calls = AsyncCallsResource(transport)
        """Phone calls."""
        self.emails = AsyncEmailsResource(transport)
        """Send and read email."""
        self.email_attachments = AsyncEmailAttachmentsResource(transport)
        """Files to attach to emails."""
        self.email_domains = AsyncEmailDomainsResource(transport)
        """The domains you send from and receive at."""
        self.email_suppressions = AsyncEmailSuppressionsResource(transport)
        """Addresses that bounced permanently, complained or unsubscribed, or that you added. Emails to
        them are rejected.
        """
        self.agents = AsyncAgentsResource(transport)
        """Agents that handle calls and texts on your numbers."""
        self.numbers = AsyncNumbersResource(transport)
        """Your phone numbers."""
        self.verifications = AsyncVerificationsResource(transport)
        """Proof of who uses a number, where a country requires it."""
        self.sms = AsyncSmsResource(transport)
        """Text messages in both directions."""
        self.webhooks = AsyncWebhooksResource(transport)
        """Signed HTTP requests to your server for each event, with a log of every attempt."""
        self.events = AsyncEventsResource(transport)
        """The same events that webhooks deliver, to list or to stream without a public URL."""
        self.sandbox = AsyncSandboxResource(transport)
        """Tools for tests and first steps. With PARLEY_SANDBOX=off these endpoints do not exist. In
        managed mode only superadmins may move the clock and create events.
        """
        self.sandbox_outbox = AsyncSandboxOutboxResource(transport)
        """What the sandbox transports received instead of sending it."""
        self.sandbox_sms = AsyncSandboxSmsResource(transport)
        """Simulate another phone; only with the sandbox on."""
        self.sandbox_emails = AsyncSandboxEmailsResource(transport)
        """Simulate another mail server; only with the sandbox on."""
        self.sandbox_phone = AsyncSandboxPhoneResource(transport)
        """A phone to try the service with: it rings when an agent calls your own number."""
        self.providers = AsyncProvidersResource(transport)
        """Your own LLM, speech-to-text and text-to-speech providers."""
        self.funds = AsyncFundsResource(transport)
        """The balance and the charges of your organization."""
        self.organizations = AsyncOrganizationsResource(transport)
        """Organizations; superadmins only."""
        self.pool_numbers = AsyncPoolNumbersResource(transport)
        """Shared numbers; superadmins only."""
        self.kill_switch = AsyncKillSwitchResource(transport)
        """Stops a channel for every organization; superadmins only."""
        self.audit_log = AsyncAuditLogResource(transport)
        """Who changed what; superadmins only."""
