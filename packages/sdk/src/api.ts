// The shapes and operations of the API. Made by `npm run generate`; edits are lost.
import type { List } from './page.ts';
import type { RequestOptions } from './transport.ts';

export type CallEventData = {
  /** The call. */
  id: string;
  direction: "outbound" | "inbound";
  status: "queued" | "dialing" | "ringing" | "in_progress" | "completed" | "failed" | "busy" | "no_answer" | "canceled";
  end_reason: "callee_hangup" | "agent_hangup" | "api_hangup" | "max_duration" | "silence_timeout" | "voicemail" | "busy" | "rejected" | "ring_timeout" | "unreachable" | "canceled" | "no_number_available" | "setup_error" | "trunk_failure" | "media_failure" | "force_closed" | "insufficient_funds" | null;
  from: string | null;
  to: string;
  agent_id: string | null;
  answered_by: "human" | "machine" | "unknown" | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  requested_at: string;
  answered_at: string | null;
  ended_at: string | null;
  duration_seconds: number | null;
  metadata: Record<string, unknown>;
};

export type Contact = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** member: a person of the organization itself; contact: anyone else. */
  kind: "member" | "contact";
  name: string;
  phone_e164: string | null;
  email: string | null;
  role: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
};

export type ContactCreate = {
  /** How the person is called. */
  name: string;
  phone_e164?: string | null;
  email?: string | null;
  role?: string | null;
};

export type ContactPage = {
  items: Array<Contact>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

/** A field left out keeps its value; null clears it. */
export type ContactPatch = {
  /** How the person is called. */
  name?: string;
  phone_e164?: string | null;
  email?: string | null;
  role?: string | null;
};

export type Event = {
  /** Names the event; the same in every delivery of it. */
  id: string;
  /** What happened; see the event types. */
  type: string;
  api_version: "2026-06-06";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** A UUID. */
  organization_id: string;
  data: Record<string, unknown>;
};

export type EventPage = {
  items: Array<Event>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type Identity = {
  /** How the credential was recognised. */
  auth_kind: "shared_key" | "apikey" | "jwt";
  /** The organization whose resources this credential sees. */
  organization_id: string;
  /** A UUID. */
  user_id: string;
  email: string | null;
  name: string | null;
  /** Whether the credential may use the administration paths. */
  superadmin: boolean;
};

export type Problem = {
  /** Names the kind of problem as a URN. */
  type: string;
  title: string;
  status: number;
  /** What is wrong this time. */
  detail: string;
  /** Stable name of the problem. */
  code: "malformed_json" | "malformed_request" | "unauthenticated" | "insufficient_scope" | "not_found" | "request_timeout" | "contact_exists" | "idempotency_in_progress" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "invalid_cursor" | "idempotency_key_reused" | "too_many_webhooks" | "target_not_allowed" | "headers_too_large" | "rate_limited" | "too_many_streams" | "internal_error" | "database_unavailable" | "shutting_down";
  /** What you can do next. */
  fix: string;
  request_id: string;
  /** Every problem of a 422 at once. */
  errors?: Array<{
    /** Where, such as body.to[0], query.limit or path.contact_id. */
    path: string;
    message: string;
    code: "required" | "unknown_field" | "invalid_type" | "invalid_format" | "invalid_value" | "too_small" | "too_large" | "forbidden_character" | "too_deep" | "invalid";
  }>;
};

export type SandboxClock = {
  /** What time it is for the service. */
  now: string;
  /** How far that is ahead of the machine. */
  offset_seconds: number;
};

export type SandboxClockAdvance = {
  /** How far to move the clock forward. */
  advance_seconds: number;
};

export type SandboxEventCreate = {
  type: "call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer";
  /** Fields that differ from the example of the type; the whole must fit its schema. */
  data?: Record<string, unknown>;
  /** The email domain the event comes through. */
  email_domain_id?: string;
  /** The name of that domain. */
  email_domain?: string;
  /** How many such events. */
  count?: number;
};

export type SandboxEvents = {
  items: Array<Event>;
};

export type WebhookAttempt = {
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  attempted_at: string;
  /** null when no answer came. */
  status_code: number | null;
  duration_ms: number;
  /** null when the receiver took the event. */
  error: "bad_status" | "redirect_not_followed" | "timeout" | "dns_failed" | "connection_failed" | "tls_failed" | "target_not_allowed" | "response_headers_too_large" | "response_invalid" | "internal_error" | null;
  /** The first 4096 bytes of the answer, as text. */
  response_body: string | null;
};

export type WebhookDelivery = {
  /** X-Service-Delivery: the same on every attempt. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** A UUID. */
  subscription_id: string;
  /** A UUID. */
  event_id: string;
  event_type: string;
  is_test: boolean;
  status: "pending" | "delivered" | "dead";
  attempt_count: number;
  last_status_code: number | null;
  last_error: string | null;
  /** null once no attempt is to come. */
  next_attempt_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  delivered_at: string | null;
};

export type WebhookDeliveryPage = {
  items: Array<WebhookDelivery>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type WebhookDeliveryWithAttempts = {
  /** X-Service-Delivery: the same on every attempt. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** A UUID. */
  subscription_id: string;
  /** A UUID. */
  event_id: string;
  event_type: string;
  is_test: boolean;
  status: "pending" | "delivered" | "dead";
  attempt_count: number;
  last_status_code: number | null;
  last_error: string | null;
  /** null once no attempt is to come. */
  next_attempt_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  delivered_at: string | null;
  /** Oldest first; the newest 100 are kept. */
  attempts: Array<WebhookAttempt>;
};

export type WebhookSubscription = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  target_url: string;
  event_types: Array<string>;
  /** When set, only events of this email domain are sent. */
  email_domain_id: string | null;
  /** disabled: nothing is queued and nothing is sent. */
  status: "active" | "disabled";
  /** kept_failing: 50 deliveries in a row died. */
  disabled_reason: "switched_off" | "kept_failing" | null;
  /** Deliveries that died since the last one that was delivered. */
  dead_streak: number;
  /** Until then the secret before the last rotation signs too. */
  previous_secret_expires_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
};

export type WebhookSubscriptionCreate = {
  /** Where events are sent: http or https, without a user name or password in it. */
  target_url: string;
  /** The event types to be told of. */
  event_types: Array<"call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer">;
  /** Narrows the subscription to one email domain. */
  email_domain_id?: string | null;
};

export type WebhookSubscriptionPage = {
  items: Array<WebhookSubscription>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

/** A field left out keeps its value. */
export type WebhookSubscriptionPatch = {
  /** Where events are sent: http or https, without a user name or password in it. */
  target_url?: string;
  /** The event types to be told of. */
  event_types?: Array<"call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer">;
  /** active clears the streak, and what waited goes on. */
  status?: "active" | "disabled";
};

export type WebhookSubscriptionWithSecret = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  target_url: string;
  event_types: Array<string>;
  /** When set, only events of this email domain are sent. */
  email_domain_id: string | null;
  /** disabled: nothing is queued and nothing is sent. */
  status: "active" | "disabled";
  /** kept_failing: 50 deliveries in a row died. */
  disabled_reason: "switched_off" | "kept_failing" | null;
  /** Deliveries that died since the last one that was delivered. */
  dead_streak: number;
  /** Until then the secret before the last rotation signs too. */
  previous_secret_expires_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
  /** Verifies deliveries. Shown in this answer and never again. */
  secret: string;
};

/** What each type of event tells. */
export type EventData = {
  /** The callee picked up. */
  'call.answered': CallEventData;
  /** The call ended normally. */
  'call.completed': CallEventData;
  /** The call could not be set up, broke in the middle, or was closed by force. */
  'call.failed': CallEventData;
  /** The callee was busy or declined. */
  'call.busy': CallEventData;
  /** Nobody picked up in time. */
  'call.no_answer': CallEventData;
};

export type EventType = keyof EventData;

/** An event as it is delivered; narrow it by `type`. */
export type AnyEvent = { [Type in EventType]: Omit<Event, 'type' | 'data'> & { type: Type; data: EventData[Type] } }[EventType];

export type Api = {
  /** Who you are to this server. */
  identity: {
    /** Tell who the credential belongs to */
    whoami(options?: RequestOptions): Promise<Identity>;
  };
  /** The people your agents talk to. */
  contacts: {
    /** Add a contact. Phone numbers and email addresses are unique within the organization. */
    create(body: ContactCreate, options?: RequestOptions): Promise<Contact>;
    /** List contacts, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
      /** Only contacts whose name, phone or email contains this text, in any case. */
      q?: string;
    }, options?: RequestOptions): List<ContactPage['items'][number]>;
    /** Read one contact */
    get(contact_id: string, options?: RequestOptions): Promise<Contact>;
    /** Change a contact */
    update(contact_id: string, body: ContactPatch, options?: RequestOptions): Promise<Contact>;
    /** Remove a contact */
    delete(contact_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** Signed calls to your own server when something happens, with a log of every attempt. */
  webhooks: {
    /** Subscribe an address to events. The answer holds the signing secret. It is shown this once. */
    create(body: WebhookSubscriptionCreate, options?: RequestOptions): Promise<WebhookSubscriptionWithSecret>;
    /** List subscriptions, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<WebhookSubscriptionPage['items'][number]>;
    /** Read one subscription */
    get(subscription_id: string, options?: RequestOptions): Promise<WebhookSubscription>;
    /** Change a subscription, switch it off or on */
    update(subscription_id: string, body: WebhookSubscriptionPatch, options?: RequestOptions): Promise<WebhookSubscription>;
    /** Remove a subscription and its log */
    delete(subscription_id: string, options?: RequestOptions): Promise<undefined>;
    /** Replace the signing secret. The new secret is shown this once. For 24 hours deliveries are signed with both. */
    rotateSecret(subscription_id: string, options?: RequestOptions): Promise<WebhookSubscriptionWithSecret>;
    /** Send an example event to one subscription. One attempt, made at once, of the example of its first event type. Read the delivery to see how it went. It is not part of the event log and never counts as a failure. */
    test(subscription_id: string, options?: RequestOptions): Promise<WebhookDelivery>;
    /** List the deliveries of a subscription, newest first */
    listDeliveries(subscription_id: string, query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
      /** Only deliveries that stand so. */
      status?: "pending" | "delivered" | "dead";
    }, options?: RequestOptions): List<WebhookDeliveryPage['items'][number]>;
    /** Read one delivery with its attempts */
    getDelivery(subscription_id: string, delivery_id: string, options?: RequestOptions): Promise<WebhookDeliveryWithAttempts>;
    /** Send one delivery again. One attempt now, with the same delivery id and the same body, whatever became of the delivery and of its subscription. Scheduled attempts stay as they are. */
    redeliver(subscription_id: string, delivery_id: string, options?: RequestOptions): Promise<WebhookDelivery>;
  };
  /** What happened, as webhooks tell it: to read or to follow without a public address. */
  events: {
    /** List events, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
      /** Only events of this type. */
      type?: "call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer";
      /** Only events about this call, email or text. */
      resource_id?: string;
    }, options?: RequestOptions): List<EventPage['items'][number]>;
  };
  /** Tools for tests and first steps. With PARLEY_SANDBOX=off these paths do not exist. */
  sandbox: {
    /** Read the clock of the service */
    getClock(options?: RequestOptions): Promise<SandboxClock>;
    /** Move the clock of the service forward. Everything that waits for a time is done as if that time had come: retries of deliveries one after the other at their own times, then everything else. The answer comes when what became due has run. The clock never goes back. */
    advanceClock(body: SandboxClockAdvance, options?: RequestOptions): Promise<SandboxClock>;
    /** Make events happen. Writes the documented example of an event type as if it had happened: it is listed, streamed and delivered like any other. */
    createEvents(body: SandboxEventCreate, options?: RequestOptions): Promise<SandboxEvents>;
  };
};

export const operations = {
  'identity.whoami': { method: 'GET', path: '/v1/whoami' },
  'contacts.create': { method: 'POST', path: '/v1/contacts', input: true, idempotent: true },
  'contacts.list': { method: 'GET', path: '/v1/contacts', input: true, list: true },
  'contacts.get': { method: 'GET', path: '/v1/contacts/{contact_id}' },
  'contacts.update': { method: 'PATCH', path: '/v1/contacts/{contact_id}', input: true },
  'contacts.delete': { method: 'DELETE', path: '/v1/contacts/{contact_id}' },
  'webhooks.create': { method: 'POST', path: '/v1/webhooks', input: true },
  'webhooks.list': { method: 'GET', path: '/v1/webhooks', input: true, list: true },
  'webhooks.get': { method: 'GET', path: '/v1/webhooks/{subscription_id}' },
  'webhooks.update': { method: 'PATCH', path: '/v1/webhooks/{subscription_id}', input: true },
  'webhooks.delete': { method: 'DELETE', path: '/v1/webhooks/{subscription_id}' },
  'webhooks.rotateSecret': { method: 'POST', path: '/v1/webhooks/{subscription_id}/rotate-secret' },
  'webhooks.test': { method: 'POST', path: '/v1/webhooks/{subscription_id}/test' },
  'webhooks.listDeliveries': { method: 'GET', path: '/v1/webhooks/{subscription_id}/deliveries', input: true, list: true },
  'webhooks.getDelivery': { method: 'GET', path: '/v1/webhooks/{subscription_id}/deliveries/{delivery_id}' },
  'webhooks.redeliver': { method: 'POST', path: '/v1/webhooks/{subscription_id}/deliveries/{delivery_id}/redeliver' },
  'events.list': { method: 'GET', path: '/v1/events', input: true, list: true },
  'events.stream': { method: 'GET', path: '/v1/events/stream', stream: true },
  'sandbox.getClock': { method: 'GET', path: '/v1/sandbox/clock' },
  'sandbox.advanceClock': { method: 'POST', path: '/v1/sandbox/clock', input: true },
  'sandbox.createEvents': { method: 'POST', path: '/v1/sandbox/events', input: true },
} as const;
