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
  code: "malformed_json" | "malformed_request" | "unauthenticated" | "insufficient_scope" | "not_found" | "request_timeout" | "contact_exists" | "idempotency_in_progress" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "invalid_cursor" | "idempotency_key_reused" | "headers_too_large" | "rate_limited" | "internal_error" | "database_unavailable" | "shutting_down";
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
};

export const operations = {
  'identity.whoami': { method: 'GET', path: '/v1/whoami' },
  'contacts.create': { method: 'POST', path: '/v1/contacts', input: true, idempotent: true },
  'contacts.list': { method: 'GET', path: '/v1/contacts', input: true, list: true },
  'contacts.get': { method: 'GET', path: '/v1/contacts/{contact_id}' },
  'contacts.update': { method: 'PATCH', path: '/v1/contacts/{contact_id}', input: true },
  'contacts.delete': { method: 'DELETE', path: '/v1/contacts/{contact_id}' },
} as const;
