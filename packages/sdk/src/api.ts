// The shapes and operations of the API. Made by `npm run generate`; edits are lost.
import type { List } from './page.ts';
import type { RequestOptions } from './transport.ts';

export type Agent = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  name: string;
  system_prompt: string | null;
  first_message: string | null;
  language: string;
  voice: string | null;
  llm_model: string | null;
  tools: Array<"end_call" | "send_digits" | "send_sms" | "do_not_contact">;
  max_duration_seconds: number;
  ai_disclosure: boolean;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
};

export type AgentCreate = {
  name: string;
  system_prompt?: string | null;
  first_message?: string | null;
  /** A BCP 47 language tag; en when left out. */
  language?: string;
  voice?: string | null;
  llm_model?: string | null;
  /** What the agent may do by itself during a call. */
  tools?: Array<"end_call" | "send_digits" | "send_sms" | "do_not_contact">;
  /** Longest call of this agent; 600 when left out. */
  max_duration_seconds?: number;
  /** Whether a call begins by saying that an AI speaks; true when left out. */
  ai_disclosure?: boolean;
};

export type AgentPage = {
  items: Array<Agent>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

/** A field left out keeps its value; null clears it. */
export type AgentPatch = {
  name?: string;
  system_prompt?: string | null;
  first_message?: string | null;
  /** A BCP 47 language tag such as en or pt-BR. */
  language?: string;
  voice?: string | null;
  llm_model?: string | null;
  /** What the agent may do by itself during a call. */
  tools?: Array<"end_call" | "send_digits" | "send_sms" | "do_not_contact">;
  /** Longest call of this agent. */
  max_duration_seconds?: number;
  /** Whether a call begins by saying that an AI speaks. */
  ai_disclosure?: boolean;
};

export type ApiKey = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** The person who owns the key; it works while they are a member. */
  user_id: string;
  name: string;
  /** The first characters of the key, to tell keys apart. */
  start: string;
  scopes: Array<string>;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** null: never. */
  expires_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
};

export type ApiKeyCreate = {
  /** What the key is for. */
  name: string;
  /** What the key may do; * when left out. Never more than the credential that creates it. Only the shared key and a fresh console session of a superadmin can give admin. */
  scopes?: Array<string>;
  /** When the key stops working; never when left out. No later than the end of the credential that creates it. */
  expires_at?: string | null;
};

export type ApiKeyPage = {
  items: Array<ApiKey>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type AuditEntry = {
  /** A UUID. */
  id: string;
  /** Whose things were changed; null: the whole service. */
  organization_id: string | null;
  /** Who did it; null: the shared key or the service itself. */
  user_id: string | null;
  credential_id: string | null;
  /** What was done, such as api_key.revoked. */
  action: string;
  /** To what it was done. */
  object_id: string | null;
  ip: string | null;
  request_id: string | null;
  detail: Record<string, unknown>;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
};

export type AuditEntryPage = {
  items: Array<AuditEntry>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type Balance = {
  /** A UUID. */
  organization_id: string;
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  balance_micros: number;
  /** What calls in progress hold, in millionths. It is charged or released when they end. */
  reserved_micros: number;
  /** The balance without what is reserved: what new calls and texts can use. */
  available_micros: number;
  /** false: this server charges nothing (PARLEY_FUNDS=off). */
  charging: boolean;
};

export type Call = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** What you named; the call’s own id when you named nothing. */
  conversation_id: string;
  agent_id: string | null;
  direction: "outbound" | "inbound";
  status: "queued" | "dialing" | "ringing" | "in_progress" | "completed" | "failed" | "busy" | "no_answer" | "canceled";
  end_reason: "callee_hangup" | "agent_hangup" | "api_hangup" | "max_duration" | "silence_timeout" | "voicemail" | "busy" | "rejected" | "ring_timeout" | "unreachable" | "canceled" | "no_number_available" | "setup_error" | "trunk_failure" | "media_failure" | "force_closed" | "insufficient_funds" | "not_allowed" | "llm_not_configured" | null;
  /** Null while the call waits for a number of the pool. */
  from: string | null;
  to: string;
  /** The carrier; null until a number is chosen. */
  provider: string | null;
  provider_call_id: string | null;
  answered_by: "human" | "machine" | "unknown" | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  requested_at: string;
  /** When it was dialed. */
  started_at: string | null;
  ringing_at: string | null;
  answered_at: string | null;
  ended_at: string | null;
  /** From the answer to the end. */
  duration_seconds: number | null;
  recording_url: string | null;
  metadata: Record<string, unknown>;
};

export type CallCreate = {
  /** A phone number with its country code, such as +1 415 555 0123; kept as E.164. */
  to: string;
  /** You warrant that you may lawfully contact the recipient. Must be true. */
  recipient_consent: true;
  /** An active voice number of yours. Chosen for you when left out. */
  from?: string | null;
  /** Who speaks; fields of this call go before those of the agent. */
  agent_id?: string | null;
  system_prompt?: string | null;
  first_message?: string | null;
  /** A BCP 47 language tag; that of the agent, else en. */
  language?: string | null;
  voice?: string | null;
  /** Your own language model, for this call only. */
  llm?: CallLlm | null;
  /** 30 when left out. */
  ring_timeout_seconds?: number | null;
  /** That of the agent, else 600. */
  max_duration_seconds?: number | null;
  /** Whether to keep a stereo recording; false when left out. */
  record?: boolean | null;
  /** Whether the call begins by saying that an AI speaks; that of the agent, else true. */
  ai_disclosure?: boolean | null;
  conversation_id?: string | null;
  metadata?: Record<string, unknown> | null;
};

export type CallEventData = {
  /** The call. */
  id: string;
  direction: "outbound" | "inbound";
  status: "queued" | "dialing" | "ringing" | "in_progress" | "completed" | "failed" | "busy" | "no_answer" | "canceled";
  end_reason: "callee_hangup" | "agent_hangup" | "api_hangup" | "max_duration" | "silence_timeout" | "voicemail" | "busy" | "rejected" | "ring_timeout" | "unreachable" | "canceled" | "no_number_available" | "setup_error" | "trunk_failure" | "media_failure" | "force_closed" | "insufficient_funds" | "not_allowed" | "llm_not_configured" | null;
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

export type CallLlm = {
  /** An endpoint that speaks the chat completions protocol, up to and including its version. */
  base_url: string;
  /** Kept sealed, and never shown again. */
  api_key?: string | null;
  model: string;
};

export type CallPage = {
  items: Array<Call>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type CallStatistics = {
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  from: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  to: string;
  total: number;
  by_status: {
    queued: number;
    dialing: number;
    ringing: number;
    in_progress: number;
    completed: number;
    failed: number;
    busy: number;
    no_answer: number;
    canceled: number;
  };
  /** Of all of them together, from answer to end. */
  duration_seconds: number;
};

export type CallTimeline = {
  items: Array<CallTimelineEntry>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type CallTimelineEntry = {
  /** A UUID. */
  id: string;
  kind: "requested" | "preparing" | "dialed" | "placed" | "rang" | "answered" | "answered_by" | "interrupted" | "digits_pressed" | "digits_sent" | "went_wrong" | "hang_up_requested" | "recorded" | "not_recorded" | "hung_up" | "declined" | "rang_out" | "broke" | "canceled";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
  /** What is known beyond that, in the carrier’s own words. */
  detail: Record<string, unknown>;
};

export type CallTranscript = {
  /** A UUID. */
  call_id: string;
  /** False while the call goes on. */
  is_final: boolean;
  /** In the order in which they began. */
  turns: Array<CallTurn>;
};

export type CallTurn = {
  speaker: "agent" | "person";
  /** Of the agent: only what was heard. */
  text: string;
  /** Milliseconds since the answer. */
  started_ms: number;
  ended_ms: number;
  is_interrupted: boolean;
  /** Of the agent’s answers: where the time went before its first sound. */
  timings: {
    endpoint_ms: number;
    stt_ms: number;
    first_token_ms: number;
    first_byte_ms: number;
    first_frame_ms: number;
    total_ms: number;
  } | null;
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

export type CreditCreate = {
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  amount_micros: number;
  note?: string | null;
  /** Your name for this payment; the same one is credited once. */
  reference?: string | null;
};

export type DnsRecord = {
  name: string;
  value: string;
  type: "TXT" | "MX";
  priority: number | null;
  purpose: "dkim" | "mail_from_mx" | "mail_from_spf" | "dmarc" | "inbound_mx";
  /** What the last verify saw; unknown: DNS did not answer, so nothing was concluded. */
  status: "pending" | "verified" | "missing" | "wrong" | "unknown";
  /** What DNS answered at the last verify. */
  found: Array<string>;
};

export type Email = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** A UUID. */
  conversation_id: string;
  email_domain_id: string | null;
  direction: "outbound" | "inbound";
  from_address: string;
  to_addresses: Array<string>;
  cc_addresses: Array<string>;
  bcc_addresses: Array<string>;
  reply_to: string | null;
  subject: string;
  status: "queued" | "sent" | "failed" | "bounced" | "complained" | "received";
  /** Why it failed or bounced. unconfirmed: the transport may have taken the message, but its answer never came; a later report settles it, and sending again could deliver it twice. */
  end_reason: "smtp_rejected" | "connection_failed" | "timeout" | "provider_error" | "hard_bounce" | "unconfirmed" | "not_allowed" | null;
  /** How the transport calls the message. */
  provider_message_id: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  requested_at: string;
  sent_at: string | null;
  failed_at: string | null;
  metadata: Record<string, unknown>;
  from_name: string | null;
  body_text: string | null;
  body_html: string | null;
  /** Inbound: what the sender wrote, above, below or between quotations, without quoted messages, signatures and hidden text. */
  extracted_text: string | null;
  /** Inbound: whether a program answered, such as an out-of-office notice. */
  is_auto_reply: boolean;
  /** The Message-ID header, in angle brackets. */
  message_id: string | null;
  in_reply_to: string | null;
  references_ids: Array<string>;
  spam_verdict: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED" | null;
  virus_verdict: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED" | null;
  dkim_verdict: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED" | null;
  spf_verdict: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED" | null;
  dmarc_verdict: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED" | null;
  provider_received_at: string | null;
  /** Answers with a redirect to the raw message. */
  raw_url: string | null;
  attachments: Array<EmailAttachmentLink>;
  last_event_at: string | null;
};

export type EmailAttachment = {
  /** A UUID. */
  id: string;
  filename: string;
  content_type: string;
  size_bytes: number;
  /** Of the content, in hexadecimal. */
  sha256: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** Removed then, unless an email uses it before; each use moves this on. */
  expires_at: string;
};

export type EmailAttachmentLink = {
  /** A UUID. */
  id: string;
  filename: string;
  content_type: string;
  size_bytes: number;
  /** Answers with a redirect to a temporary address of the content. */
  url: string;
};

export type EmailAttachmentUpload = {
  /** A UUID. */
  id: string;
  filename: string;
  content_type: string;
  size_bytes: number;
  /** Of the content, in hexadecimal. */
  sha256: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** Removed then, unless an email uses it before; each use moves this on. */
  expires_at: string;
  /** Every file of the upload; the fields above are the first. */
  attachments: Array<EmailAttachment>;
};

export type EmailBouncedData = {
  /** The email. */
  id: string;
  kind: "bounced";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
  from_address: string;
  to_addresses: Array<string>;
  subject: string;
  detail: {
    /** Whether sending again is pointless. */
    hard: boolean;
    /** Permanent, Transient or Undetermined. */
    bounce_type: string;
    bounce_sub_type: string;
    recipients: Array<string>;
    /** The words of the server that refused. */
    diagnostic_code: string | null;
  };
};

export type EmailClickedData = {
  /** The email. */
  id: string;
  kind: "clicked";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
  from_address: string;
  to_addresses: Array<string>;
  subject: string;
  detail: {
    ip_address: string | null;
    user_agent: string | null;
    /** Whether a program is known to have done it, not the reader. */
    machine: boolean;
    link: string;
  };
};

export type EmailComplainedData = {
  /** The email. */
  id: string;
  kind: "complained";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
  from_address: string;
  to_addresses: Array<string>;
  subject: string;
  detail: {
    recipients: Array<string>;
  };
};

export type EmailCounters = {
  /** Emails the transport took. */
  sent: number;
  /** Emails reported as delivered. */
  delivered: number;
  /** Emails reported as delayed. */
  delivery_delayed: number;
  /** Emails that bounced, hard or soft. */
  bounced: number;
  /** Emails that bounced for good. */
  bounced_hard: number;
  /** Emails marked as spam. */
  complained: number;
  /** Emails whose sending was answered with 502; one that a report confirms later is also counted as sent. */
  rejected: number;
  /** Opens, every one. */
  opened: number;
  /** Clicks, every one. */
  clicked: number;
  /** Emails opened at least once. */
  unique_opened: number;
  /** Emails clicked at least once. */
  unique_clicked: number;
};

export type EmailCountersBucket = {
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  bucket_start: string;
  /** Emails the transport took. */
  sent: number;
  /** Emails reported as delivered. */
  delivered: number;
  /** Emails reported as delayed. */
  delivery_delayed: number;
  /** Emails that bounced, hard or soft. */
  bounced: number;
  /** Emails that bounced for good. */
  bounced_hard: number;
  /** Emails marked as spam. */
  complained: number;
  /** Emails whose sending was answered with 502; one that a report confirms later is also counted as sent. */
  rejected: number;
  /** Opens, every one. */
  opened: number;
  /** Clicks, every one. */
  clicked: number;
  /** Emails opened at least once. */
  unique_opened: number;
  /** Emails clicked at least once. */
  unique_clicked: number;
};

export type EmailCreate = {
  /** You warrant that you may lawfully contact the recipient. Must be true. */
  recipient_consent: true;
  to: Array<string>;
  cc?: Array<string> | null;
  bcc?: Array<string> | null;
  subject: string;
  /** An address on one of your verified domains; default: that of the newest one. */
  from?: string | null;
  /** Send from this domain’s default address. */
  email_domain_id?: string | null;
  reply_to?: string | null;
  /** An email of yours (its id) or any Message-ID this one answers. */
  in_reply_to?: string | null;
  /** Shown beside the sender’s address. */
  from_name?: string | null;
  /** Plain text; made from body_html when left out. */
  body_text?: string | null;
  body_html?: string | null;
  headers?: Record<string, string> | null;
  metadata?: Record<string, unknown> | null;
  /** Ids of uploads; see POST /v1/email-attachments. */
  attachment_ids?: Array<string> | null;
  /** Default true when there is an HTML body. */
  track_opens?: boolean | null;
  /** Default true when there is an HTML body. */
  track_clicks?: boolean | null;
  /** Adds one-click unsubscribing (RFC 8058); for emails to exactly one recipient. */
  list_unsubscribe?: boolean | null;
};

export type EmailDelayedData = {
  /** The email. */
  id: string;
  kind: "delivery_delayed";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
  from_address: string;
  to_addresses: Array<string>;
  subject: string;
  detail: {
    recipients: Array<string>;
  };
};

export type EmailDeliveredData = {
  /** The email. */
  id: string;
  kind: "delivered";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
  from_address: string;
  to_addresses: Array<string>;
  subject: string;
  detail: {
    recipients: Array<string>;
  };
};

export type EmailDomain = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  kind: "service_mail" | "custom";
  /** For service_mail: the base domain of this server. */
  domain: string;
  local_prefix_user: string | null;
  local_prefix_org: string | null;
  /** The sender of emails that name no from. */
  default_address: string;
  verification_status: "pending" | "verified" | "failed";
  /** What to publish; empty for service_mail. */
  dns_records: Array<DnsRecord>;
  /** The domain of the return path, where bounces arrive. */
  mail_from_domain: string;
  mail_from_status: "pending" | "verified" | "failed";
  provider: string;
  verified_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
  inbound_enabled: boolean;
  /** Where mail is forwarded to: addresses whose owners confirmed it, and ones on your own verified domains. */
  forward_to: Array<string>;
  /** Wanted in forward_to, and not confirmed: nothing is forwarded to them. */
  forward_pending: Array<string>;
  forward_rate_per_hour: number;
  /** Verified, inbound_enabled, and its MX points here. */
  receive_ready: boolean;
};

export type EmailDomainCreate = {
  kind: "service_mail" | "custom";
  /** For custom only: the domain you control. */
  domain?: string | null;
  /** For service_mail only. */
  local_prefix_user?: string | null;
  /** For service_mail only. Left out, the default of the server is used; where another organization has that address, with an end made from the id of yours. */
  local_prefix_org?: string | null;
};

export type EmailDomainPage = {
  items: Array<EmailDomain>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

/** A field left out keeps its value. */
export type EmailDomainPatch = {
  inbound_enabled?: boolean;
  /** All addresses that are wanted, pending ones too. New ones get a mail with a link to confirm it. */
  forward_to?: Array<string>;
  /** At most PARLEY_FORWARD_PER_HOUR_MAX of the server. */
  forward_rate_per_hour?: number;
};

export type EmailListItem = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** A UUID. */
  conversation_id: string;
  email_domain_id: string | null;
  direction: "outbound" | "inbound";
  from_address: string;
  to_addresses: Array<string>;
  cc_addresses: Array<string>;
  bcc_addresses: Array<string>;
  reply_to: string | null;
  subject: string;
  status: "queued" | "sent" | "failed" | "bounced" | "complained" | "received";
  /** Why it failed or bounced. unconfirmed: the transport may have taken the message, but its answer never came; a later report settles it, and sending again could deliver it twice. */
  end_reason: "smtp_rejected" | "connection_failed" | "timeout" | "provider_error" | "hard_bounce" | "unconfirmed" | "not_allowed" | null;
  /** How the transport calls the message. */
  provider_message_id: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  requested_at: string;
  sent_at: string | null;
  failed_at: string | null;
  metadata: Record<string, unknown>;
};

export type EmailOpenedData = {
  /** The email. */
  id: string;
  kind: "opened";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
  from_address: string;
  to_addresses: Array<string>;
  subject: string;
  detail: {
    ip_address: string | null;
    user_agent: string | null;
    /** Whether a program is known to have done it, not the reader. */
    machine: boolean;
  };
};

export type EmailPage = {
  items: Array<EmailListItem>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type EmailPreview = {
  /** Shows the body in a frame in which nothing can run. */
  url: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  expires_at: string;
};

export type EmailReceivedData = {
  /** The email. */
  id: string;
  direction: "outbound" | "inbound";
  from_address: string;
  to_addresses: Array<string>;
  subject: string;
  message_id: string | null;
  in_reply_to: string | null;
  spam_verdict: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
  virus_verdict: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
  spf_verdict: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
  dkim_verdict: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
  dmarc_verdict: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
  raw_url: string;
  attachments: Array<EmailAttachmentLink>;
};

export type EmailReply = {
  /** You warrant that you may lawfully contact the recipient. Must be true. */
  recipient_consent: true;
  /** Also to everybody else the email went to. */
  reply_all?: boolean | null;
  cc?: Array<string> | null;
  bcc?: Array<string> | null;
  /** Default: the subject after "Re: ". */
  subject?: string | null;
  reply_to?: string | null;
  /** Shown beside the sender’s address. */
  from_name?: string | null;
  /** Plain text; made from body_html when left out. */
  body_text?: string | null;
  body_html?: string | null;
  headers?: Record<string, string> | null;
  metadata?: Record<string, unknown> | null;
  /** Ids of uploads; see POST /v1/email-attachments. */
  attachment_ids?: Array<string> | null;
  /** Default true when there is an HTML body. */
  track_opens?: boolean | null;
  /** Default true when there is an HTML body. */
  track_clicks?: boolean | null;
  /** Adds one-click unsubscribing (RFC 8058); for emails to exactly one recipient. */
  list_unsubscribe?: boolean | null;
};

export type EmailSendFailedData = {
  /** The email. */
  id: string;
  direction: "outbound" | "inbound";
  status: "failed";
  end_reason: "smtp_rejected" | "connection_failed" | "timeout" | "provider_error" | "hard_bounce" | "unconfirmed" | "not_allowed";
  from_address: string;
  to_addresses: Array<string>;
  subject: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  failed_at: string;
  detail: Record<string, unknown>;
};

export type EmailStatistics = {
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  from: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  to: string;
  bucket: "hour" | "day";
  totals: EmailCounters;
  rates: {
    /** delivered / sent */
    delivery: number;
    /** bounced / sent */
    bounce: number;
    /** complained / sent */
    complaint: number;
    /** unique_opened / delivered */
    open: number;
    /** unique_clicked / delivered */
    click: number;
  };
  series: Array<EmailCountersBucket>;
};

export type EmailSuppressedData = {
  /** The email. */
  id: string;
  direction: "outbound" | "inbound";
  from_address: string;
  to_addresses: Array<string>;
  subject: string;
  message_id: string | null;
  reason: "forward_loop" | "forward_rate_limit" | "inbound_rate_limit" | "insufficient_funds";
};

export type EmailSuppression = {
  /** A UUID. */
  id: string;
  recipient: string;
  channel: "email";
  reason: "hard_bounce" | "complaint" | "unsubscribe" | "manual";
  /** api, or the kind of report that told of it. */
  source: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
};

export type EmailSuppressionCreate = {
  /** One address, without a name. */
  recipient: string;
  reason?: "manual" | "unsubscribe" | "complaint" | "hard_bounce";
};

export type EmailSuppressionPage = {
  items: Array<EmailSuppression>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type EmailTimeline = {
  items: Array<EmailTimelineEntry>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type EmailTimelineEntry = {
  /** A UUID. */
  id: string;
  /** unreadable_report: a message came back to the return path that is neither a known report nor an automatic answer. Its detail.attachment_id fetches it at GET /v1/emails/{email_id}/attachments/{attachment_id} while it is kept. */
  kind: "sent" | "send_failed" | "delivered" | "delivery_delayed" | "bounced" | "complained" | "opened" | "clicked" | "unsubscribed" | "received" | "received_suppressed" | "forwarded" | "forward_failed" | "unreadable_report";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
  detail: Record<string, unknown>;
};

export type EmailWait = {
  /** The first email that matches; null when the time was up. */
  email: Email | null;
  /** The verification code in its words, where they hold one. */
  code: string | null;
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

export type ForwardConfirmationCreate = {
  /** Exactly one address, with or without a name: ana@example.com or Ana Sousa <ana@example.com>. */
  address: string;
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
  /** Whether this credential may use the administration paths: the shared key, a fresh console session of a superadmin, or a superadmin’s key with the scope admin. */
  superadmin: boolean;
};

export type Invitation = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  email: string;
  /** owner and admin may invite, change and remove people; only an owner makes another owner. */
  role: "owner" | "admin" | "member";
  invited_by: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  expires_at: string;
  accepted_at: string | null;
};

export type InvitationCreate = {
  /** One email address, without a display name. */
  email: string;
  /** member when left out. */
  role?: "owner" | "admin" | "member";
};

export type InvitationPage = {
  items: Array<Invitation>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type KillSwitch = {
  /** true: nothing new goes out on this channel, for anybody. */
  calls: boolean;
  /** true: nothing new goes out on this channel, for anybody. */
  emails: boolean;
  /** true: nothing new goes out on this channel, for anybody. */
  sms: boolean;
};

/** A channel left out keeps its state. */
export type KillSwitchPatch = {
  /** true: nothing new goes out on this channel, for anybody. */
  calls?: boolean;
  /** true: nothing new goes out on this channel, for anybody. */
  emails?: boolean;
  /** true: nothing new goes out on this channel, for anybody. */
  sms?: boolean;
};

export type LedgerEntry = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  kind: "credit" | "charge";
  /** Positive for a credit, negative for a charge, in millionths. */
  amount_micros: number;
  /** The balance after this entry. */
  balance_micros: number;
  item: "call_minute" | "sms_segment" | "number_setup" | "number_month" | "inbound_email" | null;
  quantity: number | null;
  /** What was charged for, such as the id of a call. */
  reference: string | null;
  note: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
};

export type LedgerEntryPage = {
  items: Array<LedgerEntry>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type Member = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** A UUID. */
  user_id: string;
  /** The contact of kind member that stands for this person. */
  contact_id: string | null;
  /** owner and admin may invite, change and remove people; only an owner makes another owner. */
  role: "owner" | "admin" | "member";
  email: string;
  name: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
};

export type MemberApiKeyCreate = {
  /** A member of the organization. */
  user_id: string;
  /** What the key is for. */
  name: string;
  /** What the key may do; * when left out. Never more than the credential that creates it. Only the shared key and a fresh console session of a superadmin can give admin. */
  scopes?: Array<string>;
  /** When the key stops working; never when left out. No later than the end of the credential that creates it. */
  expires_at?: string | null;
};

export type MemberCreate = {
  /** One email address, without a display name. */
  email: string;
  name: string;
  /** member when left out. */
  role?: "owner" | "admin" | "member";
  /** The sub claim under which the configured issuer of JWTs knows this person. */
  external_subject?: string | null;
};

export type MemberPage = {
  items: Array<Member>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type MemberPatch = {
  /** owner and admin may invite, change and remove people; only an owner makes another owner. */
  role: "owner" | "admin" | "member";
};

export type NewApiKey = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** The person who owns the key; it works while they are a member. */
  user_id: string;
  name: string;
  /** The first characters of the key, to tell keys apart. */
  start: string;
  scopes: Array<string>;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** null: never. */
  expires_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
  /** The key itself. It is shown only this once. */
  key: string;
};

export type NewInvitation = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  email: string;
  /** owner and admin may invite, change and remove people; only an owner makes another owner. */
  role: "owner" | "admin" | "member";
  invited_by: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  expires_at: string;
  accepted_at: string | null;
  /** Give this link to the person. It is shown only this once. */
  accept_url: string;
};

export type NumberOffer = {
  /** Pass it to POST /v1/numbers to buy at this price. */
  quote_id: string;
  provider: string;
  e164: string | null;
  /** Shape of the number, where the carrier only names it on purchase. */
  pattern: string | null;
  country_code: string;
  number_type: "local" | "mobile" | "toll_free" | "national";
  capabilities: Array<"voice" | "sms">;
  /** Null where the carrier does not tell its price. */
  monthly_cents: number | null;
  setup_cents: number | null;
  currency: string;
  /** verification_required: buying needs an approved verification for this country and type. */
  readiness: "ready" | "verification_required";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  expires_at: string;
};

export type NumberOffers = {
  offers: Array<NumberOffer>;
};

/** A field left out keeps its value; null detaches the agent. */
export type NumberPatch = {
  voice_agent_id?: string | null;
  sms_agent_id?: string | null;
};

export type NumberPurchase = {
  /** Two-letter country code (ISO 3166-1), such as US. */
  country_code: string;
  /** The offer to take. Without it the first number that fits is bought. */
  quote_id?: string | null;
  number_type?: "local" | "mobile" | "toll_free" | "national" | null;
  capabilities?: Array<"voice" | "sms"> | null;
  /** The exact number to buy. */
  e164?: string | null;
};

export type NumberQuote = {
  /** Two-letter country code (ISO 3166-1), such as US. */
  country_code: string;
  /** local when left out. */
  number_type?: "local" | "mobile" | "toll_free" | "national";
  /** What the number must be able to do; voice and sms when left out. */
  capabilities?: Array<"voice" | "sms">;
};

export type OauthGrant = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** The person who allowed the program. */
  user_id: string;
  client_id: string;
  /** What the program calls itself; nobody checked it. */
  client_name: string | null;
  /** Where the program receives its codes. */
  redirect_uris: Array<string>;
  scopes: Array<string>;
  /** When the person first allowed it. */
  created_at: string;
  /** When the person last allowed it. */
  updated_at: string;
};

export type OauthGrantPage = {
  items: Array<OauthGrant>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type Organization = {
  /** A UUID. */
  id: string;
  name: string;
  /** agent: made by or for a program; its calls, emails and texts are capped by the hour. */
  origin: "human" | "agent";
  velocity_caps: VelocityCaps;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
};

export type OrganizationCreate = {
  name: string;
  /** human when left out. */
  origin?: "human" | "agent";
};

export type OrganizationPage = {
  items: Array<Organization>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

/** A field left out keeps its value. */
export type OrganizationPatch = {
  name?: string;
  /** agent: made by or for a program; its calls, emails and texts are capped by the hour. */
  origin?: "human" | "agent";
  velocity_caps?: {
    /** At most so many an hour; null: the default of the origin, which for human is no cap. */
    calls?: number | null;
    /** At most so many an hour; null: the default of the origin, which for human is no cap. */
    emails?: number | null;
    /** At most so many an hour; null: the default of the origin, which for human is no cap. */
    sms?: number | null;
  };
};

export type PasswordLink = {
  /** Give this link to the person. It is shown only this once. */
  url: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  expires_at: string;
};

export type PhoneNumber = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** The carrier that holds the number. */
  provider: string;
  /** A phone number in E.164 form, such as +14155550123. */
  e164: string;
  country_code: string;
  number_type: "local" | "mobile" | "toll_free" | "national";
  capabilities: Array<"voice" | "sms">;
  provisioning_state: "pending" | "active" | "failed" | "released";
  /** Why the carrier refused the purchase. */
  failure_reason: string | null;
  /** Held by this organization alone; pool numbers are not. */
  is_dedicated: boolean;
  /** The carrier’s group of senders, where it has one. */
  messaging_service_sid: string | null;
  /** The agent that answers calls to the number. */
  voice_agent_id: string | null;
  /** The agent that answers texts to the number. */
  sms_agent_id: string | null;
  /** Whether the carrier sends calls and texts of this number here. */
  inbound_registered: boolean;
  /** Null where the carrier does not tell its price. */
  monthly_cents: number | null;
  setup_cents: number | null;
  currency: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
  released_at: string | null;
};

export type PhoneNumberPage = {
  items: Array<PhoneNumber>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type PoolNumber = {
  /** A UUID. */
  id: string;
  provider: string;
  /** A phone number in E.164 form, such as +14155550123. */
  e164: string;
  country_code: string;
  number_type: "local" | "mobile" | "toll_free" | "national";
  capabilities: Array<"voice" | "sms">;
  /** failed: in quarantine, not lent to calls. */
  provisioning_state: "active" | "failed";
  is_dedicated: false;
  /** The call that holds the number right now. */
  bound_call_id: string | null;
  bound_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
};

export type PoolNumberCreate = {
  /** A phone number with its country code, such as +1 415 555 0123; kept as E.164. */
  e164: string;
  /** The carrier that holds it; the active one when left out. */
  provider?: string;
  /** local when left out. */
  number_type?: "local" | "mobile" | "toll_free" | "national";
};

export type PoolNumberPage = {
  items: Array<PoolNumber>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type PoolNumberPatch = {
  provisioning_state: "active" | "failed";
};

/** The price of one of each, in millionths. */
export type Prices = {
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  call_minute: number;
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  sms_segment: number;
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  number_setup: number;
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  number_month: number;
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  inbound_email: number;
};

/** A price left out stays. */
export type PricesPatch = {
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  call_minute?: number;
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  sms_segment?: number;
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  number_setup?: number;
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  number_month?: number;
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  inbound_email?: number;
};

export type Problem = {
  /** Names the kind of problem as a URN. */
  type: string;
  title: string;
  status: number;
  /** What is wrong this time. */
  detail: string;
  /** Stable name of the problem. */
  code: "malformed_upload" | "link_expired" | "link_invalid" | "inbound_address_not_yours" | "inbound_message_refused" | "report_not_placed" | "notice_refused" | "email_domain_taken" | "forward_rate_too_high" | "forward_not_pending" | "forward_refused" | "attachment_too_large" | "invalid_email_address" | "invalid_header_text" | "html_too_deep" | "header_not_allowed" | "too_many_headers" | "metadata_too_large" | "too_many_recipients" | "unsubscribe_needs_one_recipient" | "no_sending_domain" | "attachment_not_found" | "attachment_expired" | "attachments_too_large" | "reply_target_not_found" | "invalid_time_range" | "domain_required" | "domain_not_allowed" | "prefix_not_allowed" | "invalid_prefix" | "invalid_domain" | "file_missing" | "too_many_files" | "email_send_failed" | "email_unconfirmed" | "email_not_allowed" | "service_mail_prefix_missing" | "mail_not_configured" | "dns_unavailable" | "callback_not_authentic" | "call_already_ended" | "recording_not_found" | "number_taken" | "number_not_active" | "no_sms_sender" | "destination_not_allowed" | "number_not_yours" | "country_not_supported" | "number_type_not_supported" | "no_number_offered" | "quote_not_usable" | "verification_required" | "verification_not_supported" | "llm_not_configured" | "agent_not_found" | "too_many_waiters" | "number_purchase_failed" | "carrier_unavailable" | "carrier_not_configured" | "insufficient_funds" | "user_not_provisioned" | "organization_not_named" | "no_user" | "role_too_low" | "address_not_verified" | "member_exists" | "last_owner" | "external_subject_taken" | "signs_in_elsewhere" | "unknown_provider" | "velocity_capped" | "kill_switch" | "system_mail_not_configured" | "issuer_unavailable" | "operator_session_needed" | "credential_cannot_issue" | "too_many_keys" | "outlives_credential" | "malformed_json" | "malformed_request" | "unauthenticated" | "insufficient_scope" | "not_found" | "request_timeout" | "contact_exists" | "idempotency_in_progress" | "payload_too_large" | "range_not_satisfiable" | "unsupported_media_type" | "validation_failed" | "consent_required" | "recipient_suppressed" | "from_not_allowed" | "invalid_cursor" | "idempotency_key_reused" | "too_many_webhooks" | "target_not_allowed" | "headers_too_large" | "rate_limited" | "too_many_streams" | "internal_error" | "database_unavailable" | "storage_full" | "storage_quota_exceeded" | "shutting_down";
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

export type ProviderChoice = {
  /** The provider; GET /v1/providers lists those that this server knows. */
  provider: string;
};

export type ProviderConfiguration = {
  layer: "llm" | "stt" | "tts";
  provider: string;
  /** The last four characters of the stored key. */
  key_last4: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  key_set_at: string;
  params: Record<string, unknown>;
  /** Whether another engine takes over when this one fails. */
  fallback_enabled: boolean;
  is_active: boolean;
};

export type ProviderConfigurationList = {
  items: Array<ProviderConfiguration>;
  next_cursor: null;
  /** Providers that can be set on this server, with the params they understand. */
  known: Array<{
    layer: "llm" | "stt" | "tts";
    provider: string;
    params: Array<string>;
  }>;
};

export type ProviderSet = {
  /** The provider; GET /v1/providers lists those that this server knows. */
  provider: string;
  /** Kept encrypted and never shown again. */
  api_key: string;
  /** Settings of the provider, such as model or base_url. */
  params?: Record<string, unknown>;
  /** false when left out. */
  fallback_enabled?: boolean;
};

export type ProviderTest = {
  layer: "llm" | "stt" | "tts";
  provider: string;
  /** Whether the provider took the key. */
  ok: boolean;
  /** What it answered; null when it did not. */
  status_code: number | null;
  /** key_refused, unexpected_status, timeout, dns_failed, connection_failed, tls_failed or target_not_allowed. */
  error: string | null;
  duration_ms: number;
};

export type ProviderTestRequest = {
  /** The provider; GET /v1/providers lists those that this server knows. */
  provider?: string;
};

export type SandboxCallStep = {
  do: "say";
  text: string;
} | {
  do: "wait";
  seconds: number;
} | {
  do: "wait_for_turn";
} | {
  do: "press";
  digits: string;
} | {
  do: "converse";
} | {
  do: "hang_up";
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
  type: "call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer" | "email.received" | "email.received.suppressed" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.send_failed" | "sms.received" | "sms.delivered" | "sms.undelivered" | "sms.failed" | "sms.not_answered";
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

export type SandboxInboundCall = {
  /** Who calls. From +15005550210 it is you, at the sandbox’s phone. */
  from: string;
  /** A number of yours. */
  to: string;
  /** What the caller does, one thing after the other. Converses when left out. */
  script?: Array<SandboxCallStep>;
};

export type SandboxInboundCallAnswer = {
  /** False when the call was declined: no agent answers that number. */
  is_answered: boolean;
  call: Call | null;
};

export type SandboxInboundEmail = {
  /** The whole message as a mail server would send it (RFC 5322); instead of the fields below. */
  raw?: string;
  /** Who writes; default: somebody@example.org. */
  from?: string;
  /** Addresses of yours; default: those that `To` and `Cc` of `raw` name, without `raw` your default address. */
  to?: Array<string>;
  cc?: Array<string>;
  subject?: string;
  /** The words of the message. */
  text?: string;
  /** The same as a page. */
  html?: string;
  /** Another name for `text`. */
  body_text?: string;
  /** Another name for `html`. */
  body_html?: string;
  /** Default: a new one. */
  message_id?: string;
  /** The Message-ID of the email that this one answers. */
  in_reply_to?: string;
  headers?: Record<string, string>;
  attachments?: Array<{
    filename: string;
    content_type?: string;
    content_base64: string;
  }>;
  /** What the checks shall have found. Left out: spam and virus as the scanners say, the others DISABLED, for there is no sender to check. */
  verdicts?: {
    spam?: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
    virus?: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
    spf?: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
    dkim?: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
    dmarc?: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
  };
};

export type SandboxInboundSms = {
  /** A phone number with its country code, such as +1 415 555 0123; kept as E.164. */
  from: string;
  /** One of your active SMS numbers, or the sandbox’s default sender. */
  to: string;
  body: string;
};

export type SandboxMessage = {
  /** A UUID. */
  id: string;
  channel: "email" | "sms" | "call";
  /** The email, text or call. */
  resource_id: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  handed_at: string;
  from: string;
  to: Array<string>;
  /** What was handed over, as the transport saw it. */
  message: Record<string, unknown>;
};

export type SandboxOutboxPage = {
  items: Array<SandboxMessage>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type SandboxPhoneCall = {
  /** A UUID. */
  call_id: string;
  status: "ringing" | "in_progress" | "ended";
  /** As your agent sees it: outbound when it calls you. */
  direction: "outbound" | "inbound";
  /** A phone number in E.164 form, such as +14155550123. */
  from: string;
  /** A phone number in E.164 form, such as +14155550123. */
  to: string;
  /** When it began to ring or to talk. */
  since: string;
};

export type SandboxPhoneCalls = {
  items: Array<SandboxPhoneCall>;
};

export type SandboxPhoneDigits = {
  digits: string;
};

export type SandboxPhoneSound = {
  url: string;
};

export type SandboxPhoneWords = {
  text: string;
};

export type Sms = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** The same for all texts between one sender and one phone. */
  conversation_id: string;
  direction: "outbound" | "inbound";
  /** A number in E.164 or a sender name. */
  from: string;
  to: string;
  body: string;
  status: "queued" | "sent" | "delivered" | "undelivered" | "failed" | "received";
  error_code: "recipient_opted_out" | "invalid_recipient" | "invalid_sender" | "unreachable" | "filtered" | "rejected" | "carrier_unavailable" | "unconfirmed" | "undelivered" | "not_allowed" | null;
  /** How many parts the text is sent and billed as. */
  segments: number;
  encoding: "gsm7" | "ucs2";
  provider: string;
  provider_message_id: string | null;
  /** When it was accepted here; for an inbound text, when it came in. */
  requested_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  failed_at: string | null;
  metadata: Record<string, unknown>;
};

export type SmsCreate = {
  /** A phone number with its country code, such as +1 415 555 0123; kept as E.164. */
  to: string;
  body: string;
  /** You warrant that you may lawfully contact the recipient. Must be true. */
  recipient_consent: true;
  /** One of your active SMS numbers, or your custom sender id. Chosen for you when left out. */
  from?: string | null;
  /** Your own data, kept with the record and told in its events where they carry it. */
  metadata?: Record<string, unknown>;
};

export type SmsEventData = {
  /** The text. */
  id: string;
  from: string;
  to: string;
  status: "queued" | "sent" | "delivered" | "undelivered" | "failed" | "received";
  error_code: "recipient_opted_out" | "invalid_recipient" | "invalid_sender" | "unreachable" | "filtered" | "rejected" | "carrier_unavailable" | "unconfirmed" | "undelivered" | "not_allowed" | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
};

export type SmsNotAnsweredData = {
  /** The text that came in. */
  id: string;
  from: string;
  to: string;
  /** A UUID. */
  agent_id: string;
  reason: "llm_not_configured" | "llm_failed" | "kill_switch" | "destination_not_allowed" | "recipient_suppressed" | "velocity_capped" | "insufficient_funds" | "reply_limit";
  /** What stopped the answer, and what to do about it. */
  detail: string;
};

export type SmsPage = {
  items: Array<Sms>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type SmsReceivedData = {
  /** The text. */
  id: string;
  from: string;
  to: string;
  body: string;
};

export type SmsSenderId = {
  custom_sender_id: string | null;
  /** What a text without "from" is sent under. */
  effective_default: string | null;
};

/** A field left out keeps its value; null clears it. */
export type SmsSenderIdPatch = {
  custom_sender_id?: string | null;
};

export type SmsSuppression = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  recipient: string;
  channel: "sms";
  reason: "opt_out" | "carrier_refusal" | "manual";
  source: "keyword" | "carrier" | "api";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
};

export type SmsSuppressionCreate = {
  /** A phone number with its country code, such as +1 415 555 0123; kept as E.164. */
  recipient: string;
};

export type SmsSuppressionPage = {
  items: Array<SmsSuppression>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
};

export type SmsWait = {
  /** The first text that matches; null when the time was up. */
  sms: Sms | null;
  /** The verification code in its body, where it holds one. */
  code: string | null;
};

export type User = {
  /** A UUID. */
  id: string;
  email: string;
  name: string;
  superadmin: boolean;
  external_subject: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
};

export type UserPatch = {
  superadmin: boolean;
};

export type VelocityCaps = {
  /** At most so many an hour; null: the default of the origin, which for human is no cap. */
  calls: number | null;
  /** At most so many an hour; null: the default of the origin, which for human is no cap. */
  emails: number | null;
  /** At most so many an hour; null: the default of the origin, which for human is no cap. */
  sms: number | null;
};

export type Verification = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  provider: string;
  country_code: string;
  number_type: "local" | "mobile" | "toll_free" | "national";
  subject_type: "individual" | "business";
  subject_name: string;
  state: "draft" | "submitted" | "in_review" | "approved" | "rejected" | "canceled";
  rejection_reason: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
  submitted_at: string | null;
  approved_at: string | null;
};

export type VerificationCreate = {
  /** Two-letter country code (ISO 3166-1), such as US. */
  country_code: string;
  number_type: "local" | "mobile" | "toll_free" | "national";
  subject_type: "individual" | "business";
  /** The person or company that will use the number. */
  subject_name: string;
  /** Where the person or company is. */
  address?: {
    street: string;
    city: string;
    postal_code: string;
    /** Two-letter country code (ISO 3166-1), such as US. */
    country_code: string;
  } | null;
  /** Of the company register or the identity document. */
  registration_number?: string | null;
};

export type VerificationPage = {
  items: Array<Verification>;
  /** Pass it as cursor for the next page; null on the last one. */
  next_cursor: string | null;
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
  event_types: Array<"call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer" | "email.received" | "email.received.suppressed" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.send_failed" | "sms.received" | "sms.delivered" | "sms.undelivered" | "sms.failed" | "sms.not_answered">;
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
  event_types?: Array<"call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer" | "email.received" | "email.received.suppressed" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.send_failed" | "sms.received" | "sms.delivered" | "sms.undelivered" | "sms.failed" | "sms.not_answered">;
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
  /** An inbound message was accepted. */
  'email.received': EmailReceivedData;
  /** An inbound message was accepted, but passing it on was held back; one event a reason. */
  'email.received.suppressed': EmailSuppressedData;
  /** The transport accepted the message for delivery. */
  'email.delivered': EmailDeliveredData;
  /** The message could not be delivered yet; it is being tried again. */
  'email.delivery_delayed': EmailDelayedData;
  /** The server of the recipient rejected the message, for good (hard) or for now (soft). */
  'email.bounced': EmailBouncedData;
  /** The recipient marked the message as spam. */
  'email.complained': EmailComplainedData;
  /** The message was opened, as far as its picture tells; only for messages with an HTML body. */
  'email.opened': EmailOpenedData;
  /** A tracked link was followed; only for messages with an HTML body. */
  'email.clicked': EmailClickedData;
  /** An outbound message could not be handed over; POST /v1/emails answered 502. */
  'email.send_failed': EmailSendFailedData;
  /** A text came in. */
  'sms.received': SmsReceivedData;
  /** The carrier confirmed that the text arrived. */
  'sms.delivered': SmsEventData;
  /** The carrier reported that the text did not arrive. */
  'sms.undelivered': SmsEventData;
  /** The text could not be sent, or the carrier refused it. */
  'sms.failed': SmsEventData;
  /** A text came in for an agent, and the agent does not answer it. */
  'sms.not_answered': SmsNotAnsweredData;
};

export type EventType = keyof EventData;

/** An event as it is delivered; narrow it by `type`. */
export type AnyEvent = { [Type in EventType]: Omit<Event, 'type' | 'data'> & { type: Type; data: EventData[Type] } }[EventType];

export type Api = {
  /** Who you are to this server. */
  identity: {
    /** Tell who the credential belongs to. Works with every valid credential, whatever its scopes. */
    whoami(options?: RequestOptions): Promise<Identity>;
  };
  /** Keys for your programs, in managed mode. */
  apiKeys: {
    /** Issue a key. The answer shows the key once; only its hash is kept. */
    create(body: ApiKeyCreate, options?: RequestOptions): Promise<NewApiKey>;
    /** List keys, newest first. Owners and admins see every key of the organization, members their own. */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<ApiKeyPage['items'][number]>;
    /** Revoke a key. It stops working at once. Owners and admins may revoke every key, members their own. */
    revoke(api_key_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** Programs that people connected by OAuth, in managed mode. */
  oauthGrants: {
    /** List connected programs, newest first. Owners and admins see every grant of the organization, members their own. */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<OauthGrantPage['items'][number]>;
    /** Disconnect a program. Its access and refresh tokens stop working: at once on the process that answers, within a second on all others. Owners and admins may revoke every grant, members their own. */
    revoke(oauth_grant_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** The people of your organization, in managed mode. */
  members: {
    /** List members, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<MemberPage['items'][number]>;
    /** Change the role of a member */
    update(member_id: string, body: MemberPatch, options?: RequestOptions): Promise<Member>;
    /** Remove a member. Their keys stop working at once. Anybody may remove themselves. */
    remove(member_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** Links that make new members. */
  invitations: {
    /** Invite a person. The answer holds the link to give to them; it works once, for seven days. */
    create(body: InvitationCreate, options?: RequestOptions): Promise<NewInvitation>;
    /** List invitations, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<InvitationPage['items'][number]>;
    /** Withdraw an invitation */
    withdraw(invitation_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** The people your agents talk to. */
  contacts: {
    /** Add a contact. Phone numbers and email addresses are unique within the organization. Two spellings of an address, such as bücher.example and xn--bcher-kva.example, are one. */
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
  /** Spoken calls. */
  calls: {
    /** Place a call. Answers once the call is queued. Follow it with GET /v1/calls/{call_id}?wait_seconds=55 or the call.* events. recipient_consent must be true: you warrant that the recipient agreed. */
    create(body: CallCreate, options?: RequestOptions): Promise<Call>;
    /** List calls, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
      /** Only calls in this status. */
      status?: "queued" | "dialing" | "ringing" | "in_progress" | "completed" | "failed" | "busy" | "no_answer" | "canceled";
      /** Only calls to this number; write + as %2B. */
      to?: string;
    }, options?: RequestOptions): List<CallPage['items'][number]>;
    /** Count calls by status */
    stats(query?: {
      /** Calls asked for within so many days. */
      days?: number;
    }, options?: RequestOptions): Promise<CallStatistics>;
    /** Read one call, or wait for its end. With wait_seconds it answers when the call is final or the time is up, whichever comes first. */
    get(call_id: string, query?: {
      /** How long to wait for the end at most. */
      wait_seconds?: number;
    }, options?: RequestOptions): Promise<Call>;
    /** Cancel a call, or hang it up. Before the answer the call is canceled; after it, it is hung up and ends completed with api_hangup. */
    cancel(call_id: string, options?: RequestOptions): Promise<Call>;
    /** Read what was said */
    transcript(call_id: string, options?: RequestOptions): Promise<CallTranscript>;
    /** Read the timeline of a call, newest first */
    events(call_id: string, query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<CallTimeline['items'][number]>;
    /** Download the recording. Redirects to a link that expires: a WAV file with the other party left and our side right. */
    recording(call_id: string, options?: RequestOptions): Promise<{ location: string }>;
  };
  /** Send and read email. */
  emails: {
    /** Send an email. Answers when the transport has taken the message (201, sent) or refused it (502). A failed email is kept and listed with status failed. With the code email_unconfirmed it may have been delivered all the same: do not send it again before GET /v1/emails/{email_id} settles it. */
    create(body: EmailCreate, options?: RequestOptions): Promise<Email>;
    /** List emails, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
      status?: "queued" | "sent" | "failed" | "bounced" | "complained" | "received";
      direction?: "outbound" | "inbound";
      /** A UUID. */
      conversation_id?: string;
    }, options?: RequestOptions): List<EmailPage['items'][number]>;
    /** Count what became of emails. Every bucket between from and to is present, in UTC. At most 366 days by day and 31 by hour; default: the last 30 days. When from equals to, nothing is counted and there is no bucket. */
    stats(query?: {
      /** From this moment on. */
      from?: string;
      /** Up to this moment, itself not counted; default: now. */
      to?: string;
      bucket?: "hour" | "day";
    }, options?: RequestOptions): Promise<EmailStatistics>;
    /** Wait for an inbound email. Answers as soon as an email matches, also one that came in after "since" and before this request, or with null when the time is up. */
    wait(query?: {
      /** Only emails to this address of yours. */
      to?: string;
      /** Only emails from this address. */
      from?: string;
      /** A UUID. */
      conversation_id?: string;
      /** text: body_html is left out, and body_text holds the readable words of an email that came as HTML alone, without markup and hidden text. full by default. */
      view?: "full" | "text";
      /** Emails that came in at or after this moment count; the moment of the request when left out. */
      since?: string;
      /** How long to wait at most. */
      timeout_seconds?: number;
    }, options?: RequestOptions): Promise<EmailWait>;
    /** Read one email */
    get(email_id: string, query?: {
      /** text: body_html is left out, and body_text holds the readable words of an email that came as HTML alone, without markup and hidden text. full by default. */
      view?: "full" | "text";
    }, options?: RequestOptions): Promise<Email>;
    /** Answer an email in its conversation. Goes to whoever wrote the email (or, for one of your own, to whom it went) with In-Reply-To and References set. */
    reply(email_id: string, body: EmailReply, options?: RequestOptions): Promise<Email>;
    /** List what happened to an email, oldest first */
    events(email_id: string, query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<EmailTimeline['items'][number]>;
    /** Get an address that shows the HTML body safely. For a frame in a page of yours: nothing in it can run, and it loads nothing from elsewhere unless remote_images is true. The address works for some minutes without a credential. */
    preview(email_id: string, query?: {
      /** Whether pictures of other servers are loaded, which tells the sender; false when left out. */
      remote_images?: "true" | "false";
    }, options?: RequestOptions): Promise<EmailPreview>;
    /** Fetch the raw message */
    raw(email_id: string, options?: RequestOptions): Promise<{ location: string }>;
    /** Fetch an attachment of an email, or an unreadable report of its timeline */
    attachment(email_id: string, attachment_id: string, options?: RequestOptions): Promise<{ location: string }>;
  };
  /** Files to send with emails. */
  emailAttachments: {
    /** Upload a file to attach to emails. One or several parts named "file". The id can be used in many emails. */
    upload(form: FormData, options?: RequestOptions): Promise<EmailAttachmentUpload>;
  };
  /** The domains you send from and receive at. */
  emailDomains: {
    /** Add an email domain. service_mail composes an address from two prefixes at once; custom answers the DNS records to publish before verify. */
    create(body: EmailDomainCreate, options?: RequestOptions): Promise<EmailDomain>;
    /** List email domains, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<EmailDomainPage['items'][number]>;
    /** Read one email domain */
    get(domain_id: string, options?: RequestOptions): Promise<EmailDomain>;
    /** Change how a domain receives */
    update(domain_id: string, body: EmailDomainPatch, options?: RequestOptions): Promise<EmailDomain>;
    /** Remove an email domain */
    delete(domain_id: string, options?: RequestOptions): Promise<undefined>;
    /** Mail the link that confirms a forward address again. Earlier links of the address end. Three mails a day to one address at most. */
    resendForwardConfirmation(domain_id: string, body: ForwardConfirmationCreate, options?: RequestOptions): Promise<EmailDomain>;
    /** Look the DNS records of a domain up now. Each record says what was found. A DNS server that does not answer changes nothing. */
    verify(domain_id: string, options?: RequestOptions): Promise<EmailDomain>;
  };
  /** Addresses that bounced for good, complained, unsubscribed, or that you added. Sending to one is refused. */
  emailSuppressions: {
    /** Stop sending to an address. An address that is already on the list is answered as it stands. */
    create(body: EmailSuppressionCreate, options?: RequestOptions): Promise<EmailSuppression>;
    /** List suppressed addresses, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<EmailSuppressionPage['items'][number]>;
    /** Allow sending to an address again */
    delete(suppression_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** Who answers your numbers, and how. */
  agents: {
    /** Add an agent */
    create(body: AgentCreate, options?: RequestOptions): Promise<Agent>;
    /** List agents, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<AgentPage['items'][number]>;
    /** Read one agent */
    get(agent_id: string, options?: RequestOptions): Promise<Agent>;
    /** Change an agent */
    update(agent_id: string, body: AgentPatch, options?: RequestOptions): Promise<Agent>;
    /** Remove an agent. Numbers that the agent answered are detached from it. */
    delete(agent_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** Phone numbers of your own. */
  numbers: {
    /** Ask which numbers can be bought, and for how much. An offer holds its price for 10 minutes. It reserves nothing: another buyer may be faster. */
    quote(body: NumberQuote, options?: RequestOptions): Promise<NumberOffers>;
    /** Buy a number. Answers with provisioning_state active, or pending where the carrier takes its time: then read the number until it is active or failed. */
    create(body: NumberPurchase, options?: RequestOptions): Promise<PhoneNumber>;
    /** List numbers, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
      /** Only numbers in this state. */
      provisioning_state?: "pending" | "active" | "failed" | "released";
    }, options?: RequestOptions): List<PhoneNumberPage['items'][number]>;
    /** Read one number */
    get(number_id: string, options?: RequestOptions): Promise<PhoneNumber>;
    /** Choose which agent answers */
    update(number_id: string, body: NumberPatch, options?: RequestOptions): Promise<PhoneNumber>;
    /** Give a number back to the carrier. The number stops working at once and may be sold to somebody else. */
    release(number_id: string, options?: RequestOptions): Promise<PhoneNumber>;
  };
  /** Proof of who uses a number, where a country asks for it. */
  verifications: {
    /** Hand in a verification. It is handed to the carrier at once; read it again to follow its state. */
    create(body: VerificationCreate, options?: RequestOptions): Promise<Verification>;
    /** List verifications, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<VerificationPage['items'][number]>;
    /** Read one verification */
    get(verification_id: string, options?: RequestOptions): Promise<Verification>;
  };
  /** Texts in both directions. */
  sms: {
    /** Send a text. Answers once the text is queued. Follow it with GET /v1/sms/{sms_id} or the sms.* events. recipient_consent must be true: you warrant that the recipient agreed. */
    create(body: SmsCreate, options?: RequestOptions): Promise<Sms>;
    /** List texts, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
      /** Only texts in this status. */
      status?: "queued" | "sent" | "delivered" | "undelivered" | "failed" | "received";
      direction?: "outbound" | "inbound";
      /** A phone number with its country code; write + as %2B. */
      to?: string;
      /** Only texts of this conversation. */
      conversation_id?: string;
    }, options?: RequestOptions): List<SmsPage['items'][number]>;
    /** Wait for an inbound text. Answers as soon as a text matches, also one that came in after "since" and before this request, or with null when the time is up. */
    wait(query?: {
      /** Only texts to this number of yours. */
      to?: string;
      /** Only texts from this phone. */
      from?: string;
      /** Texts that came in at or after this moment count; the moment of the request when left out. */
      since?: string;
      /** How long to wait at most. */
      timeout_seconds?: number;
    }, options?: RequestOptions): Promise<SmsWait>;
    /** Read one text */
    get(sms_id: string, options?: RequestOptions): Promise<Sms>;
    /** Read the sender of your texts */
    getSenderId(options?: RequestOptions): Promise<SmsSenderId>;
    /** Set the sender of your texts. A custom sender id is used where the recipient’s country allows names as senders. */
    updateSenderId(body: SmsSenderIdPatch, options?: RequestOptions): Promise<SmsSenderId>;
    /** List phones that must not be texted, newest first */
    listSuppressions(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<SmsSuppressionPage['items'][number]>;
    /** Stop texts to a phone. A phone that is suppressed already keeps its first entry, which is the answer. */
    createSuppression(body: SmsSuppressionCreate, options?: RequestOptions): Promise<SmsSuppression>;
    /** Allow texts to a phone again, by its number */
    deleteSuppressionOf(query: {
      /** A phone number with its country code; write + as %2B. */
      recipient: string;
    }, options?: RequestOptions): Promise<undefined>;
    /** Allow texts to a phone again */
    deleteSuppression(sms_suppression_id: string, options?: RequestOptions): Promise<undefined>;
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
      type?: "call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer" | "email.received" | "email.received.suppressed" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.send_failed" | "sms.received" | "sms.delivered" | "sms.undelivered" | "sms.failed" | "sms.not_answered";
      /** Only events about this call, email or text. */
      resource_id?: string;
    }, options?: RequestOptions): List<EventPage['items'][number]>;
  };
  /** Tools for tests and first steps. With PARLEY_SANDBOX=off these paths do not exist. In managed mode only superadmins may move the clock and make events. */
  sandbox: {
    /** Read the clock of the service */
    getClock(options?: RequestOptions): Promise<SandboxClock>;
    /** Move the clock of the service forward. Everything that waits for a time is done as if that time had come: retries of deliveries one after the other at their own times, then everything else. The answer comes when what became due has run. The clock never goes back. In managed mode deletions, the expiry of credentials and caps do not follow it. */
    advanceClock(body: SandboxClockAdvance, options?: RequestOptions): Promise<SandboxClock>;
    /** Make events happen. Writes the documented example of an event type as if it had happened: it is listed, streamed and delivered like any other. */
    createEvents(body: SandboxEventCreate, options?: RequestOptions): Promise<SandboxEvents>;
  };
  /** What the sandbox’s transports were handed. */
  sandboxOutbox: {
    /** List what the sandbox was handed to send, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
      channel?: "email" | "sms" | "call";
    }, options?: RequestOptions): List<SandboxOutboxPage['items'][number]>;
  };
  /** Pretend to be the other phone; only with the sandbox on. */
  sandboxSms: {
    /** Let a text come in */
    receive(body: SandboxInboundSms, options?: RequestOptions): Promise<Sms>;
  };
  /** Pretend to be the other mail server; only with the sandbox on. */
  sandboxEmails: {
    /** Let an email come in */
    receive(body: SandboxInboundEmail, options?: RequestOptions): Promise<Email>;
  };
  /** A phone for whoever tries the sandbox out: it rings when your own number is called. */
  sandboxPhone: {
    /** Call a number of yours. Somebody of the sandbox calls, and the agent of the number answers. */
    callIn(body: SandboxInboundCall, options?: RequestOptions): Promise<SandboxInboundCallAnswer>;
    /** List the calls at the phone, the oldest first. Calls to +15005550210 that ring or talk in this process. The stream tells of changes as `sandbox.phone_changed` and of what is said as `call.said`. */
    list(options?: RequestOptions): Promise<SandboxPhoneCalls>;
    /** Pick up a call that rings */
    answer(call_id: string, options?: RequestOptions): Promise<SandboxPhoneCall>;
    /** Decline a call that rings */
    decline(call_id: string, options?: RequestOptions): Promise<SandboxPhoneCall>;
    /** Say something: the words are spoken on the line. Answers once the words are on their way; what is said first is spoken first. */
    say(call_id: string, body: SandboxPhoneWords, options?: RequestOptions): Promise<SandboxPhoneCall>;
    /** Press keys on the phone */
    press(call_id: string, body: SandboxPhoneDigits, options?: RequestOptions): Promise<SandboxPhoneCall>;
    /** Hang up a call at the phone */
    hangUp(call_id: string, options?: RequestOptions): Promise<SandboxPhoneCall>;
    /** Get an address for a microphone and a loudspeaker. A WebSocket for this call that can be opened once within a minute. Both directions are binary messages of 16-bit little-endian samples, one channel, 8000 a second. */
    openSound(call_id: string, options?: RequestOptions): Promise<SandboxPhoneSound>;
  };
  /** Your own language, hearing and voice providers. */
  providers: {
    /** List what is set, and what could be */
    list(options?: RequestOptions): Promise<ProviderConfigurationList>;
    /** Set a provider and its key. The first one of a layer becomes active; others wait until they are activated. */
    set(layer: string, body: ProviderSet, options?: RequestOptions): Promise<ProviderConfiguration>;
    /** Make a provider the active one of its layer */
    activate(layer: string, body: ProviderChoice, options?: RequestOptions): Promise<ProviderConfiguration>;
    /** Ask the provider whether it takes the key. Without a provider the active one of the layer is asked. */
    test(layer: string, body: ProviderTestRequest, options?: RequestOptions): Promise<ProviderTest>;
    /** Forget a provider and its key */
    remove(layer: string, provider: string, options?: RequestOptions): Promise<undefined>;
  };
  /** What your organization has left, and what it was charged. */
  funds: {
    /** Tell the balance */
    balance(options?: RequestOptions): Promise<Balance>;
    /** List credits and charges, newest first */
    ledger(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<LedgerEntryPage['items'][number]>;
    /** Tell the balance of an organization */
    organizationBalance(organization_id: string, options?: RequestOptions): Promise<Balance>;
    /** List credits and charges of an organization */
    organizationLedger(organization_id: string, query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<LedgerEntryPage['items'][number]>;
    /** Credit an organization. A negative amount takes back. The same reference is credited once. */
    credit(organization_id: string, body: CreditCreate, options?: RequestOptions): Promise<LedgerEntry>;
    /** Tell the price table */
    prices(options?: RequestOptions): Promise<Prices>;
    /** Change prices */
    updatePrices(body: PricesPatch, options?: RequestOptions): Promise<Prices>;
  };
  /** Organizations, for superadmins only. */
  organizations: {
    /** Make an organization. In managed mode only: 404 where the shared key is the only credential. */
    create(body: OrganizationCreate, options?: RequestOptions): Promise<Organization>;
    /** List organizations, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<OrganizationPage['items'][number]>;
    /** Read one organization */
    get(organization_id: string, options?: RequestOptions): Promise<Organization>;
    /** Change an organization, its origin or its caps */
    update(organization_id: string, body: OrganizationPatch, options?: RequestOptions): Promise<Organization>;
    /** List the members of an organization */
    listMembers(organization_id: string, query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<MemberPage['items'][number]>;
    /** Make a person a member. A person whose address is not known yet is made, without a password. With external_subject the person gets an account of their own, even where another account has the same address. */
    addMember(organization_id: string, body: MemberCreate, options?: RequestOptions): Promise<Member>;
    /** Remove a member */
    removeMember(organization_id: string, member_id: string, options?: RequestOptions): Promise<undefined>;
    /** Invite a person to an organization */
    invite(organization_id: string, body: InvitationCreate, options?: RequestOptions): Promise<NewInvitation>;
    /** Issue a key to a member */
    createApiKey(organization_id: string, body: MemberApiKeyCreate, options?: RequestOptions): Promise<NewApiKey>;
    /** Make a link with which a person chooses a new password. It works once, for an hour, and signs the person out everywhere. */
    createPasswordLink(user_id: string, options?: RequestOptions): Promise<PasswordLink>;
    /** Make a person a superadmin, or no longer one. Making one needs the shared key or a fresh console session. The power then lies in their own fresh console sessions and in keys issued with the scope admin, not in their other keys and tokens. */
    updateUser(user_id: string, body: UserPatch, options?: RequestOptions): Promise<User>;
  };
  /** Shared numbers, for superadmins only. */
  poolNumbers: {
    /** Add a number to the pool. The number must already belong to the carrier account of this server. */
    create(body: PoolNumberCreate, options?: RequestOptions): Promise<PoolNumber>;
    /** List pool numbers, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
    }, options?: RequestOptions): List<PoolNumberPage['items'][number]>;
    /** Put a pool number in quarantine or take it out */
    update(pool_number_id: string, body: PoolNumberPatch, options?: RequestOptions): Promise<PoolNumber>;
  };
  /** Stops a channel for everybody; superadmins only. */
  killSwitch: {
    /** Tell which channels are stopped */
    get(options?: RequestOptions): Promise<KillSwitch>;
    /** Stop a channel or let it go on. Takes effect on every process within a second. Requests are then answered 429 kill_switch; what is queued waits and ends with not_allowed when it waited too long; calls to your numbers are declined. */
    update(body: KillSwitchPatch, options?: RequestOptions): Promise<KillSwitch>;
  };
  /** Who changed what; superadmins only. */
  auditLog: {
    /** List what was done with credentials and by administrators, newest first */
    list(query?: {
      /** next_cursor of the page before; leave out for the newest page. */
      cursor?: string;
      /** How many items a page holds at most. */
      limit?: number;
      /** A UUID. */
      organization_id?: string;
      action?: string;
    }, options?: RequestOptions): List<AuditEntryPage['items'][number]>;
  };
};

export const operations = {
  'identity.whoami': { method: 'GET', path: '/v1/whoami' },
  'apiKeys.create': { method: 'POST', path: '/v1/api-keys', input: true },
  'apiKeys.list': { method: 'GET', path: '/v1/api-keys', input: true, list: true },
  'apiKeys.revoke': { method: 'DELETE', path: '/v1/api-keys/{api_key_id}' },
  'oauthGrants.list': { method: 'GET', path: '/v1/oauth-grants', input: true, list: true },
  'oauthGrants.revoke': { method: 'DELETE', path: '/v1/oauth-grants/{oauth_grant_id}' },
  'members.list': { method: 'GET', path: '/v1/members', input: true, list: true },
  'members.update': { method: 'PATCH', path: '/v1/members/{member_id}', input: true },
  'members.remove': { method: 'DELETE', path: '/v1/members/{member_id}' },
  'invitations.create': { method: 'POST', path: '/v1/invitations', input: true },
  'invitations.list': { method: 'GET', path: '/v1/invitations', input: true, list: true },
  'invitations.withdraw': { method: 'DELETE', path: '/v1/invitations/{invitation_id}' },
  'contacts.create': { method: 'POST', path: '/v1/contacts', input: true, idempotent: true },
  'contacts.list': { method: 'GET', path: '/v1/contacts', input: true, list: true },
  'contacts.get': { method: 'GET', path: '/v1/contacts/{contact_id}' },
  'contacts.update': { method: 'PATCH', path: '/v1/contacts/{contact_id}', input: true },
  'contacts.delete': { method: 'DELETE', path: '/v1/contacts/{contact_id}' },
  'calls.create': { method: 'POST', path: '/v1/calls', input: true, idempotent: true },
  'calls.list': { method: 'GET', path: '/v1/calls', input: true, list: true },
  'calls.stats': { method: 'GET', path: '/v1/calls/stats', input: true },
  'calls.get': { method: 'GET', path: '/v1/calls/{call_id}', input: true },
  'calls.cancel': { method: 'POST', path: '/v1/calls/{call_id}/cancel' },
  'calls.transcript': { method: 'GET', path: '/v1/calls/{call_id}/transcript' },
  'calls.events': { method: 'GET', path: '/v1/calls/{call_id}/events', input: true, list: true },
  'calls.recording': { method: 'GET', path: '/v1/calls/{call_id}/recording' },
  'emails.create': { method: 'POST', path: '/v1/emails', input: true, idempotent: true },
  'emails.list': { method: 'GET', path: '/v1/emails', input: true, list: true },
  'emails.stats': { method: 'GET', path: '/v1/emails/stats', input: true },
  'emails.wait': { method: 'GET', path: '/v1/emails/wait', input: true },
  'emails.get': { method: 'GET', path: '/v1/emails/{email_id}', input: true },
  'emails.reply': { method: 'POST', path: '/v1/emails/{email_id}/reply', input: true, idempotent: true },
  'emails.events': { method: 'GET', path: '/v1/emails/{email_id}/events', input: true, list: true },
  'emails.preview': { method: 'GET', path: '/v1/emails/{email_id}/preview', input: true },
  'emails.raw': { method: 'GET', path: '/v1/emails/{email_id}/raw' },
  'emails.attachment': { method: 'GET', path: '/v1/emails/{email_id}/attachments/{attachment_id}' },
  'emailAttachments.upload': { method: 'POST', path: '/v1/email-attachments', input: true },
  'emailDomains.create': { method: 'POST', path: '/v1/email-domains', input: true },
  'emailDomains.list': { method: 'GET', path: '/v1/email-domains', input: true, list: true },
  'emailDomains.get': { method: 'GET', path: '/v1/email-domains/{domain_id}' },
  'emailDomains.update': { method: 'PATCH', path: '/v1/email-domains/{domain_id}', input: true },
  'emailDomains.delete': { method: 'DELETE', path: '/v1/email-domains/{domain_id}' },
  'emailDomains.resendForwardConfirmation': { method: 'POST', path: '/v1/email-domains/{domain_id}/forward-confirmations', input: true },
  'emailDomains.verify': { method: 'POST', path: '/v1/email-domains/{domain_id}/verify' },
  'emailSuppressions.create': { method: 'POST', path: '/v1/email-suppressions', input: true },
  'emailSuppressions.list': { method: 'GET', path: '/v1/email-suppressions', input: true, list: true },
  'emailSuppressions.delete': { method: 'DELETE', path: '/v1/email-suppressions/{suppression_id}' },
  'agents.create': { method: 'POST', path: '/v1/agents', input: true },
  'agents.list': { method: 'GET', path: '/v1/agents', input: true, list: true },
  'agents.get': { method: 'GET', path: '/v1/agents/{agent_id}' },
  'agents.update': { method: 'PATCH', path: '/v1/agents/{agent_id}', input: true },
  'agents.delete': { method: 'DELETE', path: '/v1/agents/{agent_id}' },
  'numbers.quote': { method: 'POST', path: '/v1/numbers/quotes', input: true },
  'numbers.create': { method: 'POST', path: '/v1/numbers', input: true, idempotent: true },
  'numbers.list': { method: 'GET', path: '/v1/numbers', input: true, list: true },
  'numbers.get': { method: 'GET', path: '/v1/numbers/{number_id}' },
  'numbers.update': { method: 'PATCH', path: '/v1/numbers/{number_id}', input: true },
  'numbers.release': { method: 'DELETE', path: '/v1/numbers/{number_id}' },
  'verifications.create': { method: 'POST', path: '/v1/verifications', input: true },
  'verifications.list': { method: 'GET', path: '/v1/verifications', input: true, list: true },
  'verifications.get': { method: 'GET', path: '/v1/verifications/{verification_id}' },
  'sms.create': { method: 'POST', path: '/v1/sms', input: true, idempotent: true },
  'sms.list': { method: 'GET', path: '/v1/sms', input: true, list: true },
  'sms.wait': { method: 'GET', path: '/v1/sms/wait', input: true },
  'sms.get': { method: 'GET', path: '/v1/sms/{sms_id}' },
  'sms.getSenderId': { method: 'GET', path: '/v1/sms/sender-id' },
  'sms.updateSenderId': { method: 'PATCH', path: '/v1/sms/sender-id', input: true },
  'sms.listSuppressions': { method: 'GET', path: '/v1/sms/suppressions', input: true, list: true },
  'sms.createSuppression': { method: 'POST', path: '/v1/sms/suppressions', input: true },
  'sms.deleteSuppressionOf': { method: 'DELETE', path: '/v1/sms/suppressions', input: true },
  'sms.deleteSuppression': { method: 'DELETE', path: '/v1/sms/suppressions/{sms_suppression_id}' },
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
  'sandboxOutbox.list': { method: 'GET', path: '/v1/sandbox/outbox', input: true, list: true },
  'sandboxSms.receive': { method: 'POST', path: '/v1/sandbox/inbound-sms', input: true },
  'sandboxEmails.receive': { method: 'POST', path: '/v1/sandbox/inbound-emails', input: true },
  'sandboxPhone.callIn': { method: 'POST', path: '/v1/sandbox/inbound-calls', input: true },
  'sandboxPhone.list': { method: 'GET', path: '/v1/sandbox/phone/calls' },
  'sandboxPhone.answer': { method: 'POST', path: '/v1/sandbox/phone/calls/{call_id}/answer' },
  'sandboxPhone.decline': { method: 'POST', path: '/v1/sandbox/phone/calls/{call_id}/decline' },
  'sandboxPhone.say': { method: 'POST', path: '/v1/sandbox/phone/calls/{call_id}/say', input: true },
  'sandboxPhone.press': { method: 'POST', path: '/v1/sandbox/phone/calls/{call_id}/press', input: true },
  'sandboxPhone.hangUp': { method: 'POST', path: '/v1/sandbox/phone/calls/{call_id}/hang_up' },
  'sandboxPhone.openSound': { method: 'POST', path: '/v1/sandbox/phone/calls/{call_id}/sound' },
  'providers.list': { method: 'GET', path: '/v1/providers' },
  'providers.set': { method: 'PUT', path: '/v1/providers/{layer}', input: true },
  'providers.activate': { method: 'POST', path: '/v1/providers/{layer}/activate', input: true },
  'providers.test': { method: 'POST', path: '/v1/providers/{layer}/test', input: true },
  'providers.remove': { method: 'DELETE', path: '/v1/providers/{layer}/{provider}' },
  'funds.balance': { method: 'GET', path: '/v1/funds' },
  'funds.ledger': { method: 'GET', path: '/v1/funds/ledger', input: true, list: true },
  'funds.organizationBalance': { method: 'GET', path: '/v1/admin/organizations/{organization_id}/funds' },
  'funds.organizationLedger': { method: 'GET', path: '/v1/admin/organizations/{organization_id}/funds/ledger', input: true, list: true },
  'funds.credit': { method: 'POST', path: '/v1/admin/organizations/{organization_id}/funds/credits', input: true },
  'funds.prices': { method: 'GET', path: '/v1/admin/prices' },
  'funds.updatePrices': { method: 'PATCH', path: '/v1/admin/prices', input: true },
  'organizations.create': { method: 'POST', path: '/v1/admin/organizations', input: true },
  'organizations.list': { method: 'GET', path: '/v1/admin/organizations', input: true, list: true },
  'organizations.get': { method: 'GET', path: '/v1/admin/organizations/{organization_id}' },
  'organizations.update': { method: 'PATCH', path: '/v1/admin/organizations/{organization_id}', input: true },
  'organizations.listMembers': { method: 'GET', path: '/v1/admin/organizations/{organization_id}/members', input: true, list: true },
  'organizations.addMember': { method: 'POST', path: '/v1/admin/organizations/{organization_id}/members', input: true },
  'organizations.removeMember': { method: 'DELETE', path: '/v1/admin/organizations/{organization_id}/members/{member_id}' },
  'organizations.invite': { method: 'POST', path: '/v1/admin/organizations/{organization_id}/invitations', input: true },
  'organizations.createApiKey': { method: 'POST', path: '/v1/admin/organizations/{organization_id}/api-keys', input: true },
  'organizations.createPasswordLink': { method: 'POST', path: '/v1/admin/users/{user_id}/password-links' },
  'organizations.updateUser': { method: 'PATCH', path: '/v1/admin/users/{user_id}', input: true },
  'poolNumbers.create': { method: 'POST', path: '/v1/admin/pool-numbers', input: true },
  'poolNumbers.list': { method: 'GET', path: '/v1/admin/pool-numbers', input: true, list: true },
  'poolNumbers.update': { method: 'PATCH', path: '/v1/admin/pool-numbers/{pool_number_id}', input: true },
  'killSwitch.get': { method: 'GET', path: '/v1/admin/kill-switch' },
  'killSwitch.update': { method: 'PATCH', path: '/v1/admin/kill-switch', input: true },
  'auditLog.list': { method: 'GET', path: '/v1/admin/audit-log', input: true, list: true },
} as const;
