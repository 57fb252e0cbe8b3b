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
  /** A BCP 47 language tag. Default: en. */
  language?: string;
  voice?: string | null;
  llm_model?: string | null;
  /** The actions the agent may take by itself during a call. */
  tools?: Array<"end_call" | "send_digits" | "send_sms" | "do_not_contact">;
  /** Maximum length of a call of this agent. Default: 600. */
  max_duration_seconds?: number;
  /** Whether each call starts with the sentence that the speaker is an AI. Default: true. */
  ai_disclosure?: boolean;
};

export type AgentPage = {
  items: Array<Agent>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

/** Fields that are left out keep their value; null clears a field. */
export type AgentPatch = {
  name?: string;
  system_prompt?: string | null;
  first_message?: string | null;
  /** A BCP 47 language tag such as en or pt-BR. */
  language?: string;
  voice?: string | null;
  llm_model?: string | null;
  /** The actions the agent may take by itself during a call. */
  tools?: Array<"end_call" | "send_digits" | "send_sms" | "do_not_contact">;
  /** Maximum length of a call of this agent. */
  max_duration_seconds?: number;
  /** Whether each call starts with the sentence that the speaker is an AI. */
  ai_disclosure?: boolean;
};

export type ApiKey = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** The person who owns the key. The key works while that person is a member. */
  user_id: string;
  name: string;
  /** The first characters of the key, to identify it in a list. */
  start: string;
  scopes: Array<string>;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** null: the key does not expire. */
  expires_at: string | null;
  /** Accurate to the minute. */
  last_used_at: string | null;
};

export type ApiKeyCreate = {
  /** What the key is for. */
  name: string;
  /** What the key may do. Default: *. A key cannot have more scopes than the credential that creates it. Only the shared key and a recent console session of a superadmin can grant admin. */
  scopes?: Array<string>;
  /** When the key stops working. Default: never. It cannot be later than the expiry of the credential that creates the key. */
  expires_at?: string | null;
};

export type ApiKeyPage = {
  items: Array<ApiKey>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type AuditEntry = {
  /** A UUID. */
  id: string;
  /** The organization whose records were changed; null: the whole service. */
  organization_id: string | null;
  /** The person who did it; null: the shared key or the service itself. */
  user_id: string | null;
  credential_id: string | null;
  /** The action, such as api_key.revoked. */
  action: string;
  /** The id of the record that was changed. */
  object_id: string | null;
  ip: string | null;
  request_id: string | null;
  detail: Record<string, unknown>;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
};

export type AuditEntryPage = {
  items: Array<AuditEntry>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type Balance = {
  /** A UUID. */
  organization_id: string;
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  balance_micros: number;
  /** Reserved for calls in progress, in millionths. Charged or released when they end. */
  reserved_micros: number;
  /** The balance minus the reserved amount, available to new calls and texts. */
  available_micros: number;
  /** false: this server does not charge (PARLEY_FUNDS=off). */
  charging: boolean;
};

export type Call = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** The value you sent. Default: the id of the call. */
  conversation_id: string;
  agent_id: string | null;
  direction: "outbound" | "inbound";
  status: "queued" | "dialing" | "ringing" | "in_progress" | "completed" | "failed" | "busy" | "no_answer" | "canceled";
  end_reason: "callee_hangup" | "agent_hangup" | "api_hangup" | "max_duration" | "silence_timeout" | "voicemail" | "busy" | "rejected" | "ring_timeout" | "unreachable" | "canceled" | "no_number_available" | "setup_error" | "trunk_failure" | "media_failure" | "force_closed" | "insufficient_funds" | "not_allowed" | "llm_not_configured" | null;
  /** null while the call waits for a pool number. */
  from: string | null;
  to: string;
  /** The carrier; null until a number is chosen. */
  provider: string | null;
  provider_call_id: string | null;
  answered_by: "human" | "machine" | "unknown" | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  requested_at: string;
  /** When the carrier started to dial. */
  started_at: string | null;
  ringing_at: string | null;
  answered_at: string | null;
  ended_at: string | null;
  /** From the moment of the answer to the end. */
  duration_seconds: number | null;
  recording_url: string | null;
  metadata: Record<string, unknown>;
};

export type CallCreate = {
  /** A phone number with its country code, such as +1 415 555 0123; stored as E.164. */
  to: string;
  /** You confirm that you may lawfully contact the recipient. Must be true. */
  recipient_consent: true;
  /** One of your active voice numbers. Default: chosen for you. */
  from?: string | null;
  /** The agent that speaks. Fields of this request override those of the agent. */
  agent_id?: string | null;
  system_prompt?: string | null;
  first_message?: string | null;
  /** A BCP 47 language tag. Default: that of the agent, else en. */
  language?: string | null;
  voice?: string | null;
  /** Your own language model, for this call only. */
  llm?: CallLlm | null;
  /** Default: 30. */
  ring_timeout_seconds?: number | null;
  /** Default: that of the agent, else 600. */
  max_duration_seconds?: number | null;
  /** Whether to store a stereo recording. Default: false. */
  record?: boolean | null;
  /** Whether the call starts with the sentence that the speaker is an AI. Default: that of the agent, else true. */
  ai_disclosure?: boolean | null;
  conversation_id?: string | null;
  metadata?: Record<string, unknown> | null;
};

export type CallEventData = {
  /** The id of the call. */
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
  /** Base URL of an endpoint with the chat completions protocol, including the version, such as https://llm.example.com/v1. */
  base_url: string;
  /** Stored encrypted and never returned. */
  api_key?: string | null;
  model: string;
};

export type CallPage = {
  items: Array<Call>;
  /** Send it as cursor to get the next page; null on the last page. */
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
  /** Total of all calls, from answer to end. */
  duration_seconds: number;
};

export type CallTimeline = {
  items: Array<CallTimelineEntry>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type CallTimelineEntry = {
  /** A UUID. */
  id: string;
  kind: "requested" | "preparing" | "dialed" | "placed" | "rang" | "answered" | "answered_by" | "interrupted" | "digits_pressed" | "digits_sent" | "went_wrong" | "hang_up_requested" | "recorded" | "not_recorded" | "hung_up" | "declined" | "rang_out" | "broke" | "canceled";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
  /** Further details, in the wording of the carrier. */
  detail: Record<string, unknown>;
};

export type CallTranscript = {
  /** A UUID. */
  call_id: string;
  /** false while the call is in progress. */
  is_final: boolean;
  /** In the order in which they started. */
  turns: Array<CallTurn>;
};

export type CallTurn = {
  speaker: "agent" | "person";
  /** For the agent: only the part that was played before an interruption. */
  text: string;
  /** Milliseconds after the call was answered. */
  started_ms: number;
  ended_ms: number;
  is_interrupted: boolean;
  /** For turns of the agent: how long each step took before the first sound. */
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
  /** member: a person of your organization; contact: anyone else. */
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
  /** The name of the person. */
  name: string;
  phone_e164?: string | null;
  email?: string | null;
  role?: string | null;
};

export type ContactPage = {
  items: Array<Contact>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

/** Fields that are left out keep their value; null clears a field. */
export type ContactPatch = {
  /** The name of the person. */
  name?: string;
  phone_e164?: string | null;
  email?: string | null;
  role?: string | null;
};

export type CreditCreate = {
  /** Millionths of the currency unit: 1 000 000 is one dollar. */
  amount_micros: number;
  note?: string | null;
  /** Your reference for this payment. A repeated reference is credited only once. */
  reference?: string | null;
};

export type DnsRecord = {
  name: string;
  value: string;
  type: "TXT" | "MX";
  priority: number | null;
  purpose: "dkim" | "mail_from_mx" | "mail_from_spf" | "dmarc" | "inbound_mx";
  /** The result of the last verification. unknown: DNS did not respond. */
  status: "pending" | "verified" | "missing" | "wrong" | "unknown";
  /** The value found in DNS at the last verification. */
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
  /** Why it failed or bounced. unconfirmed: the transport may have accepted the message, but its response was lost. A later delivery report settles it; sending again could deliver the message twice. */
  end_reason: "smtp_rejected" | "connection_failed" | "timeout" | "provider_error" | "hard_bounce" | "unconfirmed" | "not_allowed" | null;
  /** The id of the message at the mail transport. */
  provider_message_id: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  requested_at: string;
  sent_at: string | null;
  failed_at: string | null;
  metadata: Record<string, unknown>;
  from_name: string | null;
  body_text: string | null;
  body_html: string | null;
  /** Inbound: the text that the sender wrote, above, below or between quotations, without quoted messages, signatures and hidden text. */
  extracted_text: string | null;
  /** Inbound: true for an automatic reply, such as an out-of-office notice. */
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
  /** Redirects to a temporary URL of the raw message. */
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
  /** SHA-256 of the content, in hexadecimal. */
  sha256: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** The upload is deleted at this time. Each email that uses it moves the time forward. */
  expires_at: string;
};

export type EmailAttachmentLink = {
  /** A UUID. */
  id: string;
  filename: string;
  content_type: string;
  size_bytes: number;
  /** Redirects to a temporary URL of the content. */
  url: string;
};

export type EmailAttachmentUpload = {
  /** A UUID. */
  id: string;
  filename: string;
  content_type: string;
  size_bytes: number;
  /** SHA-256 of the content, in hexadecimal. */
  sha256: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** The upload is deleted at this time. Each email that uses it moves the time forward. */
  expires_at: string;
  /** Every file of the upload. The fields above describe the first file. */
  attachments: Array<EmailAttachment>;
};

export type EmailBouncedData = {
  /** The id of the email. */
  id: string;
  kind: "bounced";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
  from_address: string;
  to_addresses: Array<string>;
  subject: string;
  detail: {
    /** true: sending to this address again will not succeed. */
    hard: boolean;
    /** Permanent, Transient or Undetermined. */
    bounce_type: string;
    bounce_sub_type: string;
    recipients: Array<string>;
    /** The response text of the rejecting server. */
    diagnostic_code: string | null;
  };
};

export type EmailClickedData = {
  /** The id of the email. */
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
    /** true when the request is known to come from a program and not from the reader. */
    machine: boolean;
    link: string;
  };
};

export type EmailComplainedData = {
  /** The id of the email. */
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
  /** Emails accepted by the mail transport. */
  sent: number;
  /** Emails reported as delivered. */
  delivered: number;
  /** Emails reported as delayed. */
  delivery_delayed: number;
  /** Emails that bounced, hard or soft. */
  bounced: number;
  /** Emails that bounced permanently. */
  bounced_hard: number;
  /** Emails marked as spam. */
  complained: number;
  /** Emails whose request was answered with 502. An email that a report confirms later is also counted as sent. */
  rejected: number;
  /** All opens. */
  opened: number;
  /** All clicks. */
  clicked: number;
  /** Emails opened at least once. */
  unique_opened: number;
  /** Emails clicked at least once. */
  unique_clicked: number;
};

export type EmailCountersBucket = {
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  bucket_start: string;
  /** Emails accepted by the mail transport. */
  sent: number;
  /** Emails reported as delivered. */
  delivered: number;
  /** Emails reported as delayed. */
  delivery_delayed: number;
  /** Emails that bounced, hard or soft. */
  bounced: number;
  /** Emails that bounced permanently. */
  bounced_hard: number;
  /** Emails marked as spam. */
  complained: number;
  /** Emails whose request was answered with 502. An email that a report confirms later is also counted as sent. */
  rejected: number;
  /** All opens. */
  opened: number;
  /** All clicks. */
  clicked: number;
  /** Emails opened at least once. */
  unique_opened: number;
  /** Emails clicked at least once. */
  unique_clicked: number;
};

export type EmailCreate = {
  /** You confirm that you may lawfully contact the recipient. Must be true. */
  recipient_consent: true;
  to: Array<string>;
  cc?: Array<string> | null;
  bcc?: Array<string> | null;
  subject: string;
  /** An address on one of your verified domains. Default: the default address of the newest one. */
  from?: string | null;
  /** Send from the default address of this domain. */
  email_domain_id?: string | null;
  reply_to?: string | null;
  /** The id of one of your emails, or any Message-ID, that this email replies to. */
  in_reply_to?: string | null;
  /** The display name of the sender. */
  from_name?: string | null;
  /** Plain text. Default: generated from body_html. */
  body_text?: string | null;
  body_html?: string | null;
  headers?: Record<string, string> | null;
  metadata?: Record<string, unknown> | null;
  /** Ids of uploaded files; see POST /v1/email-attachments. */
  attachment_ids?: Array<string> | null;
  /** Default: true for emails with an HTML body. */
  track_opens?: boolean | null;
  /** Default: true for emails with an HTML body. */
  track_clicks?: boolean | null;
  /** Adds one-click unsubscribe (RFC 8058); needs exactly one recipient. */
  list_unsubscribe?: boolean | null;
};

export type EmailDelayedData = {
  /** The id of the email. */
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
  /** The id of the email. */
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
  /** The sender of emails without "from". */
  default_address: string;
  verification_status: "pending" | "verified" | "failed";
  /** The DNS records to publish; empty for service_mail. */
  dns_records: Array<DnsRecord>;
  /** The domain of the return path, which receives bounces. */
  mail_from_domain: string;
  mail_from_status: "pending" | "verified" | "failed";
  provider: string;
  verified_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
  inbound_enabled: boolean;
  /** Incoming mail is forwarded to these addresses: addresses whose owners confirmed it, and addresses on your own verified domains. */
  forward_to: Array<string>;
  /** Addresses from forward_to whose owners have not confirmed yet. Nothing is forwarded to them. */
  forward_pending: Array<string>;
  forward_rate_per_hour: number;
  /** true when the domain is verified, inbound_enabled is true and the MX record points to this server. */
  receive_ready: boolean;
};

export type EmailDomainCreate = {
  kind: "service_mail" | "custom";
  /** For custom only: a domain you control. */
  domain?: string | null;
  /** For service_mail only. */
  local_prefix_user?: string | null;
  /** For service_mail only. Default: the prefix set on the server; if another organization uses that address, a suffix derived from your organization id is added. */
  local_prefix_org?: string | null;
};

export type EmailDomainPage = {
  items: Array<EmailDomain>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

/** Fields that are left out keep their value. */
export type EmailDomainPatch = {
  inbound_enabled?: boolean;
  /** The complete list of addresses, including pending ones. New addresses get a mail with a confirmation link. */
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
  /** Why it failed or bounced. unconfirmed: the transport may have accepted the message, but its response was lost. A later delivery report settles it; sending again could deliver the message twice. */
  end_reason: "smtp_rejected" | "connection_failed" | "timeout" | "provider_error" | "hard_bounce" | "unconfirmed" | "not_allowed" | null;
  /** The id of the message at the mail transport. */
  provider_message_id: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  requested_at: string;
  sent_at: string | null;
  failed_at: string | null;
  metadata: Record<string, unknown>;
};

export type EmailOpenedData = {
  /** The id of the email. */
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
    /** true when the request is known to come from a program and not from the reader. */
    machine: boolean;
  };
};

export type EmailPage = {
  items: Array<EmailListItem>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type EmailPreview = {
  /** Shows the HTML body in a frame in which no script can run. */
  url: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  expires_at: string;
};

export type EmailReceivedData = {
  /** The id of the email. */
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
  /** You confirm that you may lawfully contact the recipient. Must be true. */
  recipient_consent: true;
  /** Also send to all other recipients of the email. */
  reply_all?: boolean | null;
  cc?: Array<string> | null;
  bcc?: Array<string> | null;
  /** Default: "Re: " and the subject of the email. */
  subject?: string | null;
  reply_to?: string | null;
  /** The display name of the sender. */
  from_name?: string | null;
  /** Plain text. Default: generated from body_html. */
  body_text?: string | null;
  body_html?: string | null;
  headers?: Record<string, string> | null;
  metadata?: Record<string, unknown> | null;
  /** Ids of uploaded files; see POST /v1/email-attachments. */
  attachment_ids?: Array<string> | null;
  /** Default: true for emails with an HTML body. */
  track_opens?: boolean | null;
  /** Default: true for emails with an HTML body. */
  track_clicks?: boolean | null;
  /** Adds one-click unsubscribe (RFC 8058); needs exactly one recipient. */
  list_unsubscribe?: boolean | null;
};

export type EmailSendFailedData = {
  /** The id of the email. */
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
  /** The id of the email. */
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
  /** api, or the kind of report that caused the suppression. */
  source: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
};

export type EmailSuppressionCreate = {
  /** One address, without a display name. */
  recipient: string;
  reason?: "manual" | "unsubscribe" | "complaint" | "hard_bounce";
};

export type EmailSuppressionPage = {
  items: Array<EmailSuppression>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type EmailTimeline = {
  items: Array<EmailTimelineEntry>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type EmailTimelineEntry = {
  /** A UUID. */
  id: string;
  /** unreadable_report: a message arrived at the return path that is neither a known report nor an automatic reply. GET /v1/emails/{email_id}/attachments/{attachment_id} with detail.attachment_id returns it while it is stored. */
  kind: "sent" | "send_failed" | "delivered" | "delivery_delayed" | "bounced" | "complained" | "opened" | "clicked" | "unsubscribed" | "received" | "received_suppressed" | "forwarded" | "forward_failed" | "unreadable_report";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
  detail: Record<string, unknown>;
};

export type EmailWait = {
  /** The first email that matches; null when the time is up. */
  email: Email | null;
  /** The verification code in its text, if there is one. */
  code: string | null;
};

export type Event = {
  /** The id of the event; the same in every delivery. */
  id: string;
  /** The event type. */
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
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type ForwardConfirmationCreate = {
  /** Exactly one address, with or without a display name: ana@example.com or Ana Sousa <ana@example.com>. */
  address: string;
};

export type GoLive = {
  /** true when no item is missing. */
  ready: boolean;
  items: Array<GoLiveItem>;
};

export type GoLiveItem = {
  check: "base_url" | "callbacks" | "carrier" | "number" | "llm" | "mail_transport" | "dns" | "webhooks" | "database" | "master_key";
  /** missing: the channels in needed_for do not work without it. warning: they work, but something should be changed. */
  status: "ok" | "missing" | "warning";
  /** The channels that need it. */
  needed_for: Array<"calls" | "emails" | "sms">;
  /** Who can change it: the operator of the server, or every organization for itself. */
  managed_by: "operator" | "organization";
  /** What was found. */
  detail: string;
  /** What to do; null when nothing is to be done. */
  fix: string | null;
  /** Settings of the server that the fix uses. */
  settings: Array<string>;
  /** A command that does it; null when a setting does it. */
  command: string | null;
  /** The guide that explains it, below /guides/. */
  guide: string | null;
};

export type Identity = {
  /** The kind of the credential. */
  auth_kind: "shared_key" | "apikey" | "jwt";
  /** The organization whose records this credential can access. */
  organization_id: string;
  /** A UUID. */
  user_id: string;
  email: string | null;
  name: string | null;
  /** true if this credential may use the administration endpoints: the shared key, a recent console session of a superadmin, or a superadmin’s key with the scope admin. */
  superadmin: boolean;
};

export type Invitation = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  email: string;
  /** owner and admin may invite, change and remove people; only an owner can make another person an owner. */
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
  /** Default: member. */
  role?: "owner" | "admin" | "member";
};

export type InvitationPage = {
  items: Array<Invitation>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type KillSwitch = {
  /** true: no organization can send anything new on this channel. */
  calls: boolean;
  /** true: no organization can send anything new on this channel. */
  emails: boolean;
  /** true: no organization can send anything new on this channel. */
  sms: boolean;
};

/** Channels that are left out keep their state. */
export type KillSwitchPatch = {
  /** true: no organization can send anything new on this channel. */
  calls?: boolean;
  /** true: no organization can send anything new on this channel. */
  emails?: boolean;
  /** true: no organization can send anything new on this channel. */
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
  /** The record that was charged, such as the id of a call. */
  reference: string | null;
  note: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
};

export type LedgerEntryPage = {
  items: Array<LedgerEntry>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type Member = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** A UUID. */
  user_id: string;
  /** The contact record of this person, of kind member. */
  contact_id: string | null;
  /** owner and admin may invite, change and remove people; only an owner can make another person an owner. */
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
  /** What the key may do. Default: *. A key cannot have more scopes than the credential that creates it. Only the shared key and a recent console session of a superadmin can grant admin. */
  scopes?: Array<string>;
  /** When the key stops working. Default: never. It cannot be later than the expiry of the credential that creates the key. */
  expires_at?: string | null;
};

export type MemberCreate = {
  /** One email address, without a display name. */
  email: string;
  name: string;
  /** Default: member. */
  role?: "owner" | "admin" | "member";
  /** The sub claim of this person at the configured JWT issuer. */
  external_subject?: string | null;
};

export type MemberPage = {
  items: Array<Member>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type MemberPatch = {
  /** owner and admin may invite, change and remove people; only an owner can make another person an owner. */
  role: "owner" | "admin" | "member";
};

export type NewApiKey = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  /** The person who owns the key. The key works while that person is a member. */
  user_id: string;
  name: string;
  /** The first characters of the key, to identify it in a list. */
  start: string;
  scopes: Array<string>;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** null: the key does not expire. */
  expires_at: string | null;
  /** Accurate to the minute. */
  last_used_at: string | null;
  /** The key itself. It is returned only in this response. */
  key: string;
};

export type NewInvitation = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  email: string;
  /** owner and admin may invite, change and remove people; only an owner can make another person an owner. */
  role: "owner" | "admin" | "member";
  invited_by: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  expires_at: string;
  accepted_at: string | null;
  /** Send this link to the person. It is returned only in this response. */
  accept_url: string;
};

export type NumberOffer = {
  /** Send it to POST /v1/numbers to buy at this price. */
  quote_id: string;
  provider: string;
  e164: string | null;
  /** Pattern of the number, if the carrier assigns the number only on purchase. */
  pattern: string | null;
  country_code: string;
  number_type: "local" | "mobile" | "toll_free" | "national";
  capabilities: Array<"voice" | "sms">;
  /** null if the carrier does not publish its price. */
  monthly_cents: number | null;
  setup_cents: number | null;
  currency: string;
  /** verification_required: the purchase needs an approved verification for this country and type. */
  readiness: "ready" | "verification_required";
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  expires_at: string;
};

export type NumberOffers = {
  offers: Array<NumberOffer>;
};

/** Fields that are left out keep their value; null detaches the agent. */
export type NumberPatch = {
  voice_agent_id?: string | null;
  sms_agent_id?: string | null;
};

export type NumberPurchase = {
  /** Two-letter country code (ISO 3166-1), such as US. */
  country_code: string;
  /** The quote to accept. Without it, the first matching number is bought. */
  quote_id?: string | null;
  number_type?: "local" | "mobile" | "toll_free" | "national" | null;
  capabilities?: Array<"voice" | "sms"> | null;
  /** The exact number to buy. */
  e164?: string | null;
};

export type NumberQuote = {
  /** Two-letter country code (ISO 3166-1), such as US. */
  country_code: string;
  /** Default: local. */
  number_type?: "local" | "mobile" | "toll_free" | "national";
  /** The capabilities the number needs. Default: voice and sms. */
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
  /** The name that the program gave itself; it is not verified. */
  client_name: string | null;
  /** The redirect URIs of the program. */
  redirect_uris: Array<string>;
  scopes: Array<string>;
  /** When the person first allowed it. */
  created_at: string;
  /** When the person last allowed it. */
  updated_at: string;
};

export type OauthGrantPage = {
  items: Array<OauthGrant>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type Organization = {
  /** A UUID. */
  id: string;
  name: string;
  /** agent: created by or for a program; its calls, emails and texts have an hourly cap. */
  origin: "human" | "agent";
  velocity_caps: VelocityCaps;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
};

export type OrganizationCreate = {
  name: string;
  /** Default: human. */
  origin?: "human" | "agent";
};

export type OrganizationPage = {
  items: Array<Organization>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

/** Fields that are left out keep their value. */
export type OrganizationPatch = {
  name?: string;
  /** agent: created by or for a program; its calls, emails and texts have an hourly cap. */
  origin?: "human" | "agent";
  velocity_caps?: {
    /** Maximum per hour. null: the default for the origin, which for human is no cap. */
    calls?: number | null;
    /** Maximum per hour. null: the default for the origin, which for human is no cap. */
    emails?: number | null;
    /** Maximum per hour. null: the default for the origin, which for human is no cap. */
    sms?: number | null;
  };
};

export type PasswordLink = {
  /** Send this link to the person. It is returned only in this response. */
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
  /** true: used by this organization only. Pool numbers are shared. */
  is_dedicated: boolean;
  /** The id of the carrier’s sender group, if the carrier has one. */
  messaging_service_sid: string | null;
  /** The agent that answers calls to the number. */
  voice_agent_id: string | null;
  /** The agent that replies to texts to the number. */
  sms_agent_id: string | null;
  /** true if the carrier delivers calls and texts of this number to this server. */
  inbound_registered: boolean;
  /** null if the carrier does not publish its price. */
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
  /** Send it as cursor to get the next page; null on the last page. */
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
  /** failed: in quarantine, not assigned to calls. */
  provisioning_state: "active" | "failed";
  is_dedicated: false;
  /** The call that uses the number right now. */
  bound_call_id: string | null;
  bound_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
};

export type PoolNumberCreate = {
  /** A phone number with its country code, such as +1 415 555 0123; stored as E.164. */
  e164: string;
  /** The carrier of the number. Default: the active carrier. */
  provider?: string;
  /** Default: local. */
  number_type?: "local" | "mobile" | "toll_free" | "national";
};

export type PoolNumberPage = {
  items: Array<PoolNumber>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type PoolNumberPatch = {
  provisioning_state: "active" | "failed";
};

/** The price per unit, in millionths. */
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

/** Prices that are left out keep their value. */
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
  /** The kind of problem, as a URN. */
  type: string;
  title: string;
  status: number;
  /** Details of this occurrence. */
  detail: string;
  /** The stable error code. */
  code: "malformed_upload" | "link_expired" | "link_invalid" | "inbound_address_not_yours" | "inbound_message_refused" | "report_not_placed" | "notice_refused" | "email_domain_taken" | "forward_rate_too_high" | "forward_not_pending" | "forward_refused" | "attachment_too_large" | "invalid_email_address" | "invalid_header_text" | "html_too_deep" | "header_not_allowed" | "too_many_headers" | "metadata_too_large" | "too_many_recipients" | "unsubscribe_needs_one_recipient" | "no_sending_domain" | "attachment_not_found" | "attachment_expired" | "attachments_too_large" | "reply_target_not_found" | "invalid_time_range" | "domain_required" | "domain_not_allowed" | "prefix_not_allowed" | "invalid_prefix" | "invalid_domain" | "file_missing" | "too_many_files" | "email_send_failed" | "email_unconfirmed" | "email_not_allowed" | "service_mail_prefix_missing" | "mail_not_configured" | "dns_unavailable" | "callback_not_authentic" | "call_already_ended" | "recording_not_found" | "number_taken" | "number_not_active" | "no_sms_sender" | "destination_not_allowed" | "number_not_yours" | "country_not_supported" | "number_type_not_supported" | "no_number_offered" | "quote_not_usable" | "verification_required" | "verification_not_supported" | "llm_not_configured" | "agent_not_found" | "too_many_waiters" | "number_purchase_failed" | "carrier_unavailable" | "carrier_not_configured" | "insufficient_funds" | "user_not_provisioned" | "organization_not_named" | "no_user" | "role_too_low" | "address_not_verified" | "member_exists" | "last_owner" | "external_subject_taken" | "signs_in_elsewhere" | "unknown_provider" | "velocity_capped" | "kill_switch" | "system_mail_not_configured" | "issuer_unavailable" | "operator_session_needed" | "credential_cannot_issue" | "too_many_keys" | "outlives_credential" | "malformed_json" | "malformed_request" | "unauthenticated" | "insufficient_scope" | "not_found" | "request_timeout" | "contact_exists" | "idempotency_in_progress" | "payload_too_large" | "range_not_satisfiable" | "unsupported_media_type" | "validation_failed" | "consent_required" | "recipient_suppressed" | "from_not_allowed" | "invalid_cursor" | "idempotency_key_reused" | "too_many_webhooks" | "target_not_allowed" | "headers_too_large" | "rate_limited" | "too_many_streams" | "internal_error" | "database_unavailable" | "storage_full" | "storage_quota_exceeded" | "shutting_down";
  /** What you can do next. */
  fix: string;
  request_id: string;
  /** All validation errors of a 422 response. */
  errors?: Array<{
    /** The location, such as body.to[0], query.limit or path.contact_id. */
    path: string;
    message: string;
    code: "required" | "unknown_field" | "invalid_type" | "invalid_format" | "invalid_value" | "too_small" | "too_large" | "forbidden_character" | "too_deep" | "invalid";
  }>;
};

export type ProviderChoice = {
  /** The provider; GET /v1/providers lists the available ones. */
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
  /** Whether to fall back to another provider when this one fails. */
  fallback_enabled: boolean;
  is_active: boolean;
};

export type ProviderConfigurationList = {
  items: Array<ProviderConfiguration>;
  next_cursor: null;
  /** Providers that can be set on this server, with their supported params. */
  known: Array<{
    layer: "llm" | "stt" | "tts";
    provider: string;
    params: Array<string>;
  }>;
};

export type ProviderSet = {
  /** The provider; GET /v1/providers lists the available ones. */
  provider: string;
  /** Stored encrypted and never returned. */
  api_key: string;
  /** Settings of the provider, such as model or base_url. */
  params?: Record<string, unknown>;
  /** Default: false. */
  fallback_enabled?: boolean;
};

export type ProviderTest = {
  layer: "llm" | "stt" | "tts";
  provider: string;
  /** Whether the provider accepted the key. */
  ok: boolean;
  /** The HTTP status of the provider’s response; null if there was none. */
  status_code: number | null;
  /** key_refused, unexpected_status, timeout, dns_failed, connection_failed, tls_failed or target_not_allowed. */
  error: string | null;
  duration_ms: number;
};

export type ProviderTestRequest = {
  /** The provider; GET /v1/providers lists the available ones. */
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
  /** The current time of the service. */
  now: string;
  /** How far it is ahead of the system clock. */
  offset_seconds: number;
};

export type SandboxClockAdvance = {
  /** How far to move the clock forward. */
  advance_seconds: number;
};

export type SandboxEventCreate = {
  type: "call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer" | "email.received" | "email.received.suppressed" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.send_failed" | "sms.received" | "sms.delivered" | "sms.undelivered" | "sms.failed" | "sms.not_answered";
  /** Fields that replace those of the example of the type; the result must match its schema. */
  data?: Record<string, unknown>;
  /** The email domain of the event. */
  email_domain_id?: string;
  /** The name of that domain. */
  email_domain?: string;
  /** The number of events to create. */
  count?: number;
};

export type SandboxEvents = {
  items: Array<Event>;
};

export type SandboxInboundCall = {
  /** The caller. With +15005550210 you are the caller, at the sandbox phone. */
  from: string;
  /** One of your numbers. */
  to: string;
  /** What the simulated caller does, step by step. Default: have a conversation. */
  script?: Array<SandboxCallStep>;
};

export type SandboxInboundCallAnswer = {
  /** false when the call was declined because no agent answers that number. */
  is_answered: boolean;
  call: Call | null;
};

export type SandboxInboundEmail = {
  /** The whole message as a mail server would send it (RFC 5322), instead of the fields below. */
  raw?: string;
  /** The sender. Default: somebody@example.org. */
  from?: string;
  /** Your addresses that receive the message. Default: the addresses in `To` and `Cc` of `raw`; without `raw`, your default address. */
  to?: Array<string>;
  cc?: Array<string>;
  subject?: string;
  /** The plain text of the message. */
  text?: string;
  /** The HTML of the message. */
  html?: string;
  /** Another name for `text`. */
  body_text?: string;
  /** Another name for `html`. */
  body_html?: string;
  /** Default: generated. */
  message_id?: string;
  /** The Message-ID of the email that this one replies to. */
  in_reply_to?: string;
  headers?: Record<string, string>;
  attachments?: Array<{
    filename: string;
    content_type?: string;
    content_base64: string;
  }>;
  /** The results of the checks. Default: spam and virus as reported by the scanners; DISABLED for the others, because there is no sending server to check. */
  verdicts?: {
    spam?: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
    virus?: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
    spf?: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
    dkim?: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
    dmarc?: "PASS" | "FAIL" | "GRAY" | "PROCESSING_FAILED" | "DISABLED";
  };
};

export type SandboxInboundSms = {
  /** A phone number with its country code, such as +1 415 555 0123; stored as E.164. */
  from: string;
  /** One of your active SMS numbers, or the default sender of the sandbox. */
  to: string;
  body: string;
};

export type SandboxMessage = {
  /** A UUID. */
  id: string;
  channel: "email" | "sms" | "call";
  /** The id of the email, text or call. */
  resource_id: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  handed_at: string;
  from: string;
  to: Array<string>;
  /** The message as the transport received it. */
  message: Record<string, unknown>;
};

export type SandboxOutboxPage = {
  items: Array<SandboxMessage>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type SandboxPhoneCall = {
  /** A UUID. */
  call_id: string;
  status: "ringing" | "in_progress" | "ended";
  /** From the view of your agent: outbound when it calls you. */
  direction: "outbound" | "inbound";
  /** A phone number in E.164 form, such as +14155550123. */
  from: string;
  /** A phone number in E.164 form, such as +14155550123. */
  to: string;
  /** When it started to ring, or when it was answered. */
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
  /** A number in E.164 form, or a sender name. */
  from: string;
  to: string;
  body: string;
  status: "queued" | "sent" | "delivered" | "undelivered" | "failed" | "received";
  error_code: "recipient_opted_out" | "invalid_recipient" | "invalid_sender" | "unreachable" | "filtered" | "rejected" | "carrier_unavailable" | "unconfirmed" | "undelivered" | "not_allowed" | null;
  /** The number of segments the text is sent and billed as. */
  segments: number;
  encoding: "gsm7" | "ucs2";
  provider: string;
  provider_message_id: string | null;
  /** When the service accepted it; for an inbound text, when it was received. */
  requested_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  failed_at: string | null;
  metadata: Record<string, unknown>;
};

export type SmsCreate = {
  /** A phone number with its country code, such as +1 415 555 0123; stored as E.164. */
  to: string;
  body: string;
  /** You confirm that you may lawfully contact the recipient. Must be true. */
  recipient_consent: true;
  /** One of your active SMS numbers, or your custom sender id. Default: chosen for you. */
  from?: string | null;
  /** Your own data, stored with the record and included in its events that have a metadata field. */
  metadata?: Record<string, unknown>;
};

export type SmsEventData = {
  /** The id of the text. */
  id: string;
  from: string;
  to: string;
  status: "queued" | "sent" | "delivered" | "undelivered" | "failed" | "received";
  error_code: "recipient_opted_out" | "invalid_recipient" | "invalid_sender" | "unreachable" | "filtered" | "rejected" | "carrier_unavailable" | "unconfirmed" | "undelivered" | "not_allowed" | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  occurred_at: string;
};

export type SmsNotAnsweredData = {
  /** The id of the text that came in. */
  id: string;
  from: string;
  to: string;
  /** A UUID. */
  agent_id: string;
  reason: "llm_not_configured" | "llm_failed" | "kill_switch" | "destination_not_allowed" | "recipient_suppressed" | "velocity_capped" | "insufficient_funds" | "reply_limit";
  /** The reason, and how to fix it. */
  detail: string;
};

export type SmsPage = {
  items: Array<Sms>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type SmsReceivedData = {
  /** The id of the text. */
  id: string;
  from: string;
  to: string;
  body: string;
};

export type SmsSenderId = {
  custom_sender_id: string | null;
  /** The sender of a text without "from". */
  effective_default: string | null;
};

/** Fields that are left out keep their value; null clears a field. */
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
  /** A phone number with its country code, such as +1 415 555 0123; stored as E.164. */
  recipient: string;
};

export type SmsSuppressionPage = {
  items: Array<SmsSuppression>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type SmsWait = {
  /** The first text that matches; null when the time is up. */
  sms: Sms | null;
  /** The verification code in its body, if there is one. */
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
  /** Maximum per hour. null: the default for the origin, which for human is no cap. */
  calls: number | null;
  /** Maximum per hour. null: the default for the origin, which for human is no cap. */
  emails: number | null;
  /** Maximum per hour. null: the default for the origin, which for human is no cap. */
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
  /** The address of the person or company. */
  address?: {
    street: string;
    city: string;
    postal_code: string;
    /** Two-letter country code (ISO 3166-1), such as US. */
    country_code: string;
  } | null;
  /** From the company register or the identity document. */
  registration_number?: string | null;
};

export type VerificationPage = {
  items: Array<Verification>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type WebhookAttempt = {
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  attempted_at: string;
  /** null if there was no response. */
  status_code: number | null;
  duration_ms: number;
  /** null if the receiver accepted the event. */
  error: "bad_status" | "redirect_not_followed" | "timeout" | "dns_failed" | "connection_failed" | "tls_failed" | "target_not_allowed" | "response_headers_too_large" | "response_invalid" | "internal_error" | null;
  /** The first 4096 bytes of the response, as text. */
  response_body: string | null;
};

export type WebhookDelivery = {
  /** The X-Service-Delivery header; the same on every attempt. */
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
  /** null if no attempt is scheduled. */
  next_attempt_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  delivered_at: string | null;
};

export type WebhookDeliveryPage = {
  items: Array<WebhookDelivery>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

export type WebhookDeliveryWithAttempts = {
  /** The X-Service-Delivery header; the same on every attempt. */
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
  /** null if no attempt is scheduled. */
  next_attempt_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  delivered_at: string | null;
  /** Oldest first; the newest 100 are stored. */
  attempts: Array<WebhookAttempt>;
};

export type WebhookSubscription = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  target_url: string;
  event_types: Array<string>;
  /** If set, only events of this email domain are delivered. */
  email_domain_id: string | null;
  /** disabled: no event is queued or delivered. */
  status: "active" | "disabled";
  /** kept_failing: 50 consecutive deliveries failed. */
  disabled_reason: "switched_off" | "kept_failing" | null;
  /** Consecutive failed deliveries since the last successful one. */
  dead_streak: number;
  /** Until this time deliveries are also signed with the previous secret. */
  previous_secret_expires_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
};

export type WebhookSubscriptionCreate = {
  /** The URL events are sent to: http or https, without a user name or password. */
  target_url: string;
  /** The event types to deliver. */
  event_types: Array<"call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer" | "email.received" | "email.received.suppressed" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.send_failed" | "sms.received" | "sms.delivered" | "sms.undelivered" | "sms.failed" | "sms.not_answered">;
  /** Limits the subscription to one email domain. */
  email_domain_id?: string | null;
};

export type WebhookSubscriptionPage = {
  items: Array<WebhookSubscription>;
  /** Send it as cursor to get the next page; null on the last page. */
  next_cursor: string | null;
};

/** Fields that are left out keep their value. */
export type WebhookSubscriptionPatch = {
  /** The URL events are sent to: http or https, without a user name or password. */
  target_url?: string;
  /** The event types to deliver. */
  event_types?: Array<"call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer" | "email.received" | "email.received.suppressed" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.send_failed" | "sms.received" | "sms.delivered" | "sms.undelivered" | "sms.failed" | "sms.not_answered">;
  /** active resets the failure count and resumes waiting deliveries. */
  status?: "active" | "disabled";
};

export type WebhookSubscriptionWithSecret = {
  /** A UUID. */
  id: string;
  /** A UUID. */
  organization_id: string;
  target_url: string;
  event_types: Array<string>;
  /** If set, only events of this email domain are delivered. */
  email_domain_id: string | null;
  /** disabled: no event is queued or delivered. */
  status: "active" | "disabled";
  /** kept_failing: 50 consecutive deliveries failed. */
  disabled_reason: "switched_off" | "kept_failing" | null;
  /** Consecutive failed deliveries since the last successful one. */
  dead_streak: number;
  /** Until this time deliveries are also signed with the previous secret. */
  previous_secret_expires_at: string | null;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  created_at: string;
  /** ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z. */
  updated_at: string;
  /** Used to verify deliveries. Returned only in this response. */
  secret: string;
};

/** What each type of event tells. */
export type EventData = {
  /** The callee answered. */
  'call.answered': CallEventData;
  /** The call ended normally. */
  'call.completed': CallEventData;
  /** The call could not be connected, broke off, or was ended by the service. */
  'call.failed': CallEventData;
  /** The callee was busy or declined. */
  'call.busy': CallEventData;
  /** The callee did not answer in time. */
  'call.no_answer': CallEventData;
  /** An inbound message was accepted. */
  'email.received': EmailReceivedData;
  /** An inbound message was accepted, but was not forwarded; one event per reason. */
  'email.received.suppressed': EmailSuppressedData;
  /** The transport accepted the message for delivery. */
  'email.delivered': EmailDeliveredData;
  /** The message is delayed; the transport keeps trying to deliver it. */
  'email.delivery_delayed': EmailDelayedData;
  /** The recipient’s mail server rejected the message, permanently (hard) or temporarily (soft). */
  'email.bounced': EmailBouncedData;
  /** The recipient marked the message as spam. */
  'email.complained': EmailComplainedData;
  /** The message was opened, as reported by its tracking pixel; only for messages with an HTML body. */
  'email.opened': EmailOpenedData;
  /** A tracked link was opened; only for messages with an HTML body. */
  'email.clicked': EmailClickedData;
  /** An outbound message could not be sent; POST /v1/emails returned 502. */
  'email.send_failed': EmailSendFailedData;
  /** A text was received. */
  'sms.received': SmsReceivedData;
  /** The carrier confirmed that the text arrived. */
  'sms.delivered': SmsEventData;
  /** The carrier reported that the text did not arrive. */
  'sms.undelivered': SmsEventData;
  /** The text could not be sent, or the carrier rejected it. */
  'sms.failed': SmsEventData;
  /** A text was received for an agent, and the agent does not reply to it. */
  'sms.not_answered': SmsNotAnsweredData;
};

export type EventType = keyof EventData;

/** An event as it is delivered; narrow it by `type`. */
export type AnyEvent = { [Type in EventType]: Omit<Event, 'type' | 'data'> & { type: Type; data: EventData[Type] } }[EventType];

export type Api = {
  /** The owner and the rights of your credential. */
  identity: {
    /** Get the owner of the credential. Works with every valid credential, regardless of its scopes. */
    whoami(options?: RequestOptions): Promise<Identity>;
  };
  /** What is missing before the server can reach real people. */
  goLive: {
    /** Get what is missing to go live. Checks the settings of the server and the records of your organization: carrier, numbers, LLM, mail transport, DNS, public address and callbacks. Only superadmins see details of the settings that the operator manages. */
    get(options?: RequestOptions): Promise<GoLive>;
  };
  /** API keys for your programs; managed mode only. */
  apiKeys: {
    /** Create a key. The response contains the key once; the server stores only its hash. */
    create(body: ApiKeyCreate, options?: RequestOptions): Promise<NewApiKey>;
    /** List keys, newest first. Owners and admins see every key of the organization, members their own. */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<ApiKeyPage['items'][number]>;
    /** Revoke a key. The key stops working immediately. Owners and admins may revoke every key, members their own. */
    revoke(api_key_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** Programs that people connected with OAuth; managed mode only. */
  oauthGrants: {
    /** List connected programs, newest first. Owners and admins see every grant of the organization, members their own. */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<OauthGrantPage['items'][number]>;
    /** Disconnect a program. Its access and refresh tokens stop working: immediately in the process that handles this request, within a second in all others. Owners and admins may revoke every grant, members their own. */
    revoke(oauth_grant_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** The people of your organization; managed mode only. */
  members: {
    /** List members, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<MemberPage['items'][number]>;
    /** Change the role of a member */
    update(member_id: string, body: MemberPatch, options?: RequestOptions): Promise<Member>;
    /** Remove a member. The keys of the member stop working immediately. Every member may remove themselves. */
    remove(member_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** Invitation links for new members. */
  invitations: {
    /** Invite a person. The response contains the link to send to the person. It works once, for seven days. */
    create(body: InvitationCreate, options?: RequestOptions): Promise<NewInvitation>;
    /** List invitations, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<InvitationPage['items'][number]>;
    /** Withdraw an invitation */
    withdraw(invitation_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** The people your agents communicate with. */
  contacts: {
    /** Add a contact. Phone numbers and email addresses are unique within the organization. Two spellings of one address, such as bücher.example and xn--bcher-kva.example, count as the same. */
    create(body: ContactCreate, options?: RequestOptions): Promise<Contact>;
    /** List contacts, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
      /** Only contacts whose name, phone number or email address contains this text, ignoring case. */
      q?: string;
    }, options?: RequestOptions): List<ContactPage['items'][number]>;
    /** Read one contact */
    get(contact_id: string, options?: RequestOptions): Promise<Contact>;
    /** Change a contact */
    update(contact_id: string, body: ContactPatch, options?: RequestOptions): Promise<Contact>;
    /** Remove a contact */
    delete(contact_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** Phone calls. */
  calls: {
    /** Place a call. Responds once the call is queued. Follow the call with GET /v1/calls/{call_id}?wait_seconds=55 or with the call.* events. recipient_consent must be true: you confirm that the recipient agreed to be called. */
    create(body: CallCreate, options?: RequestOptions): Promise<Call>;
    /** List calls, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
      /** Only calls in this status. */
      status?: "queued" | "dialing" | "ringing" | "in_progress" | "completed" | "failed" | "busy" | "no_answer" | "canceled";
      /** Only calls to this number; write + as %2B. */
      to?: string;
    }, options?: RequestOptions): List<CallPage['items'][number]>;
    /** Count calls by status */
    stats(query?: {
      /** Only calls created within this number of days. */
      days?: number;
    }, options?: RequestOptions): Promise<CallStatistics>;
    /** Read one call, or wait until it ends. With wait_seconds the response is sent when the call has ended or the time is up. */
    get(call_id: string, query?: {
      /** Maximum time to wait for the end of the call. */
      wait_seconds?: number;
    }, options?: RequestOptions): Promise<Call>;
    /** Cancel a call or hang it up. A call that is not answered yet is canceled. An answered call is hung up and ends as completed with end_reason api_hangup. */
    cancel(call_id: string, options?: RequestOptions): Promise<Call>;
    /** Read the transcript of a call */
    transcript(call_id: string, options?: RequestOptions): Promise<CallTranscript>;
    /** Read the timeline of a call, newest first */
    events(call_id: string, query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<CallTimeline['items'][number]>;
    /** Download the recording. Redirects to a temporary link to a stereo WAV file: the other party on the left channel, your agent on the right. */
    recording(call_id: string, options?: RequestOptions): Promise<{ location: string }>;
  };
  /** Send and read email. */
  emails: {
    /** Send an email. Responds when the mail transport has accepted the message (201, sent) or rejected it (502). A failed email is stored and listed with status failed. With the code email_unconfirmed the message may have been delivered: do not send it again before GET /v1/emails/{email_id} shows its final status. */
    create(body: EmailCreate, options?: RequestOptions): Promise<Email>;
    /** List emails, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
      status?: "queued" | "sent" | "failed" | "bounced" | "complained" | "received";
      direction?: "outbound" | "inbound";
      /** A UUID. */
      conversation_id?: string;
    }, options?: RequestOptions): List<EmailPage['items'][number]>;
    /** Count emails by outcome. Every bucket between from and to is present, in UTC. At most 366 days by day and 31 days by hour. Default: the last 30 days. If from equals to, there is no bucket and all counts are 0. */
    stats(query?: {
      /** Start of the range (inclusive). */
      from?: string;
      /** End of the range (exclusive). Default: now. */
      to?: string;
      bucket?: "hour" | "day";
    }, options?: RequestOptions): Promise<EmailStatistics>;
    /** Wait for an inbound email. Responds as soon as an email matches, including one that arrived after "since" and before this request. Returns null when the time is up. */
    wait(query?: {
      /** Only emails to this address. */
      to?: string;
      /** Only emails from this address. */
      from?: string;
      /** A UUID. */
      conversation_id?: string;
      /** text: body_html is left out, and body_text contains the readable text of an email that has only HTML, without markup and hidden text. Default: full. */
      view?: "full" | "text";
      /** Only emails received at or after this time. Default: the time of the request. */
      since?: string;
      /** Maximum time to wait. */
      timeout_seconds?: number;
    }, options?: RequestOptions): Promise<EmailWait>;
    /** Read one email */
    get(email_id: string, query?: {
      /** text: body_html is left out, and body_text contains the readable text of an email that has only HTML, without markup and hidden text. Default: full. */
      view?: "full" | "text";
    }, options?: RequestOptions): Promise<Email>;
    /** Reply to an email in its conversation. Sent to the sender of the email (for one of your own emails: to its recipients), with In-Reply-To and References set. */
    reply(email_id: string, body: EmailReply, options?: RequestOptions): Promise<Email>;
    /** List the timeline of an email, oldest first */
    events(email_id: string, query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<EmailTimeline['items'][number]>;
    /** Get a URL that shows the HTML body safely. For a frame in your own page: scripts cannot run, and nothing is loaded from other servers unless remote_images is true. The URL works for a few minutes and needs no credential. */
    preview(email_id: string, query?: {
      /** Whether images are loaded from other servers, which can show the sender that the email was opened. Default: false. */
      remote_images?: "true" | "false";
    }, options?: RequestOptions): Promise<EmailPreview>;
    /** Download the raw message */
    raw(email_id: string, options?: RequestOptions): Promise<{ location: string }>;
    /** Download an attachment of an email, or an unreadable report from its timeline */
    attachment(email_id: string, attachment_id: string, options?: RequestOptions): Promise<{ location: string }>;
  };
  /** Files to attach to emails. */
  emailAttachments: {
    /** Upload a file to attach to emails. Send one or more parts named "file". The id can be used in many emails. */
    upload(form: FormData, options?: RequestOptions): Promise<EmailAttachmentUpload>;
  };
  /** The domains you send from and receive at. */
  emailDomains: {
    /** Add an email domain. service_mail creates an address from two prefixes immediately. custom returns the DNS records to publish before you call verify. */
    create(body: EmailDomainCreate, options?: RequestOptions): Promise<EmailDomain>;
    /** List email domains, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<EmailDomainPage['items'][number]>;
    /** Read one email domain */
    get(domain_id: string, options?: RequestOptions): Promise<EmailDomain>;
    /** Change how a domain receives mail */
    update(domain_id: string, body: EmailDomainPatch, options?: RequestOptions): Promise<EmailDomain>;
    /** Remove an email domain */
    delete(domain_id: string, options?: RequestOptions): Promise<undefined>;
    /** Send the confirmation mail for a forward address again. Earlier links for the address stop working. At most three mails a day are sent to one address. */
    resendForwardConfirmation(domain_id: string, body: ForwardConfirmationCreate, options?: RequestOptions): Promise<EmailDomain>;
    /** Check the DNS records of a domain now. Each record shows what was found. If DNS does not respond, nothing changes. */
    verify(domain_id: string, options?: RequestOptions): Promise<EmailDomain>;
  };
  /** Addresses that bounced permanently, complained or unsubscribed, or that you added. Emails to them are rejected. */
  emailSuppressions: {
    /** Stop sending to an address. If the address is already suppressed, the existing entry is returned. */
    create(body: EmailSuppressionCreate, options?: RequestOptions): Promise<EmailSuppression>;
    /** List suppressed addresses, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<EmailSuppressionPage['items'][number]>;
    /** Allow sending to an address again */
    delete(suppression_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** Agents that handle calls and texts on your numbers. */
  agents: {
    /** Add an agent */
    create(body: AgentCreate, options?: RequestOptions): Promise<Agent>;
    /** List agents, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<AgentPage['items'][number]>;
    /** Read one agent */
    get(agent_id: string, options?: RequestOptions): Promise<Agent>;
    /** Change an agent */
    update(agent_id: string, body: AgentPatch, options?: RequestOptions): Promise<Agent>;
    /** Remove an agent. Numbers that use the agent are detached from it. */
    delete(agent_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** Your phone numbers. */
  numbers: {
    /** Get quotes for numbers that can be bought. A quote holds its price for 10 minutes. It does not reserve the number: another buyer may be faster. */
    quote(body: NumberQuote, options?: RequestOptions): Promise<NumberOffers>;
    /** Buy a number. Returns provisioning_state active, or pending if the carrier needs more time: then read the number until it is active or failed. */
    create(body: NumberPurchase, options?: RequestOptions): Promise<PhoneNumber>;
    /** List numbers, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
      /** Only numbers in this state. */
      provisioning_state?: "pending" | "active" | "failed" | "released";
    }, options?: RequestOptions): List<PhoneNumberPage['items'][number]>;
    /** Read one number */
    get(number_id: string, options?: RequestOptions): Promise<PhoneNumber>;
    /** Choose the agents of a number */
    update(number_id: string, body: NumberPatch, options?: RequestOptions): Promise<PhoneNumber>;
    /** Release a number to the carrier. The number stops working immediately and the carrier may sell it to another customer. */
    release(number_id: string, options?: RequestOptions): Promise<PhoneNumber>;
  };
  /** Proof of who uses a number, where a country requires it. */
  verifications: {
    /** Submit a verification. It is submitted to the carrier immediately. Read it again to follow its state. */
    create(body: VerificationCreate, options?: RequestOptions): Promise<Verification>;
    /** List verifications, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<VerificationPage['items'][number]>;
    /** Read one verification */
    get(verification_id: string, options?: RequestOptions): Promise<Verification>;
  };
  /** Text messages in both directions. */
  sms: {
    /** Send a text. Responds once the text is queued. Follow the text with GET /v1/sms/{sms_id} or with the sms.* events. recipient_consent must be true: you confirm that the recipient agreed to be contacted. */
    create(body: SmsCreate, options?: RequestOptions): Promise<Sms>;
    /** List texts, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
      /** Only texts in this status. */
      status?: "queued" | "sent" | "delivered" | "undelivered" | "failed" | "received";
      direction?: "outbound" | "inbound";
      /** A phone number with its country code; encode + as %2B. */
      to?: string;
      /** Only texts of this conversation. */
      conversation_id?: string;
    }, options?: RequestOptions): List<SmsPage['items'][number]>;
    /** Wait for an inbound text. Responds as soon as a text matches, including one that arrived after "since" and before this request. Returns null when the time is up. */
    wait(query?: {
      /** Only texts to this number. */
      to?: string;
      /** Only texts from this phone. */
      from?: string;
      /** Only texts received at or after this time. Default: the time of the request. */
      since?: string;
      /** Maximum time to wait. */
      timeout_seconds?: number;
    }, options?: RequestOptions): Promise<SmsWait>;
    /** Read one text */
    get(sms_id: string, options?: RequestOptions): Promise<Sms>;
    /** Read the sender of your texts */
    getSenderId(options?: RequestOptions): Promise<SmsSenderId>;
    /** Set the sender of your texts. A custom sender id is used if the recipient’s country allows names as senders. */
    updateSenderId(body: SmsSenderIdPatch, options?: RequestOptions): Promise<SmsSenderId>;
    /** List suppressed phone numbers, newest first */
    listSuppressions(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<SmsSuppressionPage['items'][number]>;
    /** Stop texts to a phone number. If the number is already suppressed, the existing entry is returned. */
    createSuppression(body: SmsSuppressionCreate, options?: RequestOptions): Promise<SmsSuppression>;
    /** Allow texts to a phone number again, by number */
    deleteSuppressionOf(query: {
      /** A phone number with its country code; encode + as %2B. */
      recipient: string;
    }, options?: RequestOptions): Promise<undefined>;
    /** Allow texts to a phone number again, by id */
    deleteSuppression(sms_suppression_id: string, options?: RequestOptions): Promise<undefined>;
  };
  /** Signed HTTP requests to your server for each event, with a log of every attempt. */
  webhooks: {
    /** Subscribe a URL to events. The response contains the signing secret, which is returned only once. */
    create(body: WebhookSubscriptionCreate, options?: RequestOptions): Promise<WebhookSubscriptionWithSecret>;
    /** List subscriptions, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<WebhookSubscriptionPage['items'][number]>;
    /** Read one subscription */
    get(subscription_id: string, options?: RequestOptions): Promise<WebhookSubscription>;
    /** Change, disable or enable a subscription */
    update(subscription_id: string, body: WebhookSubscriptionPatch, options?: RequestOptions): Promise<WebhookSubscription>;
    /** Delete a subscription and its log */
    delete(subscription_id: string, options?: RequestOptions): Promise<undefined>;
    /** Replace the signing secret. The new secret is returned only once. For 24 hours deliveries are signed with both secrets. */
    rotateSecret(subscription_id: string, options?: RequestOptions): Promise<WebhookSubscriptionWithSecret>;
    /** Send an example event to one subscription. Makes one immediate attempt with the example of its first event type. Read the delivery to see the result. The event is not added to the event log, and a failure is not counted. */
    test(subscription_id: string, options?: RequestOptions): Promise<WebhookDelivery>;
    /** List the deliveries of a subscription, newest first */
    listDeliveries(subscription_id: string, query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
      /** Only deliveries with this status. */
      status?: "pending" | "delivered" | "dead";
    }, options?: RequestOptions): List<WebhookDeliveryPage['items'][number]>;
    /** Read one delivery with its attempts */
    getDelivery(subscription_id: string, delivery_id: string, options?: RequestOptions): Promise<WebhookDeliveryWithAttempts>;
    /** Send one delivery again. Makes one immediate attempt with the same delivery id and body, whatever the status of the delivery and of its subscription. Scheduled attempts are not changed. */
    redeliver(subscription_id: string, delivery_id: string, options?: RequestOptions): Promise<WebhookDelivery>;
  };
  /** The same events that webhooks deliver, to list or to stream without a public URL. */
  events: {
    /** List events, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
      /** Only events of this type. */
      type?: "call.answered" | "call.completed" | "call.failed" | "call.busy" | "call.no_answer" | "email.received" | "email.received.suppressed" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.send_failed" | "sms.received" | "sms.delivered" | "sms.undelivered" | "sms.failed" | "sms.not_answered";
      /** Only events about this call, email or text. */
      resource_id?: string;
    }, options?: RequestOptions): List<EventPage['items'][number]>;
  };
  /** Tools for tests and first steps. With PARLEY_SANDBOX=off these endpoints do not exist. In managed mode only superadmins may move the clock and create events. */
  sandbox: {
    /** Read the clock of the service */
    getClock(options?: RequestOptions): Promise<SandboxClock>;
    /** Move the clock of the service forward. Everything that is scheduled runs as if its time had come: first the retries of deliveries in order, each at its own time, then everything else. The response is sent after all due work has run. The clock never goes back. In managed mode the clock does not affect deletions, the expiry of credentials and caps. */
    advanceClock(body: SandboxClockAdvance, options?: RequestOptions): Promise<SandboxClock>;
    /** Create example events. Publishes the documented example of an event type: it is listed, streamed and delivered like any other event. */
    createEvents(body: SandboxEventCreate, options?: RequestOptions): Promise<SandboxEvents>;
  };
  /** What the sandbox transports received instead of sending it. */
  sandboxOutbox: {
    /** List what the sandbox transports received, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
      channel?: "email" | "sms" | "call";
    }, options?: RequestOptions): List<SandboxOutboxPage['items'][number]>;
  };
  /** Simulate another phone; only with the sandbox on. */
  sandboxSms: {
    /** Simulate an inbound text */
    receive(body: SandboxInboundSms, options?: RequestOptions): Promise<Sms>;
  };
  /** Simulate another mail server; only with the sandbox on. */
  sandboxEmails: {
    /** Simulate an inbound email */
    receive(body: SandboxInboundEmail, options?: RequestOptions): Promise<Email>;
  };
  /** A phone to try the service with: it rings when an agent calls your own number. */
  sandboxPhone: {
    /** Call one of your numbers. A simulated person calls, and the agent of the number answers. */
    callIn(body: SandboxInboundCall, options?: RequestOptions): Promise<SandboxInboundCallAnswer>;
    /** List the calls at the phone, oldest first. Calls to +15005550210 that are ringing or in progress in this process. The event stream reports changes as `sandbox.phone_changed` and speech as `call.said`. */
    list(options?: RequestOptions): Promise<SandboxPhoneCalls>;
    /** Answer a ringing call */
    answer(call_id: string, options?: RequestOptions): Promise<SandboxPhoneCall>;
    /** Decline a ringing call */
    decline(call_id: string, options?: RequestOptions): Promise<SandboxPhoneCall>;
    /** Speak a text on the call. Responds when the text is queued. Texts are spoken in the order of the requests. */
    say(call_id: string, body: SandboxPhoneWords, options?: RequestOptions): Promise<SandboxPhoneCall>;
    /** Press keys on the phone */
    press(call_id: string, body: SandboxPhoneDigits, options?: RequestOptions): Promise<SandboxPhoneCall>;
    /** Hang up a call at the phone */
    hangUp(call_id: string, options?: RequestOptions): Promise<SandboxPhoneCall>;
    /** Get a URL for a microphone and a loudspeaker. A WebSocket URL for this call. It can be used once, within a minute. Both directions are binary messages of 16-bit little-endian samples, one channel, 8000 samples a second. */
    openSound(call_id: string, options?: RequestOptions): Promise<SandboxPhoneSound>;
  };
  /** Your own LLM, speech-to-text and text-to-speech providers. */
  providers: {
    /** List configured and available providers */
    list(options?: RequestOptions): Promise<ProviderConfigurationList>;
    /** Set a provider and its key. The first provider of a layer becomes active. Others stay inactive until you activate them. */
    set(layer: string, body: ProviderSet, options?: RequestOptions): Promise<ProviderConfiguration>;
    /** Make a provider the active one of its layer */
    activate(layer: string, body: ProviderChoice, options?: RequestOptions): Promise<ProviderConfiguration>;
    /** Check whether the provider accepts the key. Without a provider, the active one of the layer is checked. */
    test(layer: string, body: ProviderTestRequest, options?: RequestOptions): Promise<ProviderTest>;
    /** Delete a provider and its key */
    remove(layer: string, provider: string, options?: RequestOptions): Promise<undefined>;
  };
  /** The balance and the charges of your organization. */
  funds: {
    /** Get the balance */
    balance(options?: RequestOptions): Promise<Balance>;
    /** List credits and charges, newest first */
    ledger(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<LedgerEntryPage['items'][number]>;
    /** Get the balance of an organization */
    organizationBalance(organization_id: string, options?: RequestOptions): Promise<Balance>;
    /** List credits and charges of an organization */
    organizationLedger(organization_id: string, query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<LedgerEntryPage['items'][number]>;
    /** Credit an organization. A negative amount is a debit. A repeated reference is credited only once. */
    credit(organization_id: string, body: CreditCreate, options?: RequestOptions): Promise<LedgerEntry>;
    /** Get the price table */
    prices(options?: RequestOptions): Promise<Prices>;
    /** Change prices */
    updatePrices(body: PricesPatch, options?: RequestOptions): Promise<Prices>;
  };
  /** Organizations; superadmins only. */
  organizations: {
    /** Create an organization. Managed mode only: 404 if the shared key is the only credential. */
    create(body: OrganizationCreate, options?: RequestOptions): Promise<Organization>;
    /** List organizations, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<OrganizationPage['items'][number]>;
    /** Read one organization */
    get(organization_id: string, options?: RequestOptions): Promise<Organization>;
    /** Change an organization, its origin or its caps */
    update(organization_id: string, body: OrganizationPatch, options?: RequestOptions): Promise<Organization>;
    /** List the members of an organization */
    listMembers(organization_id: string, query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<MemberPage['items'][number]>;
    /** Add a person as a member. A person whose address is unknown gets an account without a password. With external_subject the person gets a separate account, even if another account has the same address. */
    addMember(organization_id: string, body: MemberCreate, options?: RequestOptions): Promise<Member>;
    /** Remove a member */
    removeMember(organization_id: string, member_id: string, options?: RequestOptions): Promise<undefined>;
    /** Invite a person to an organization */
    invite(organization_id: string, body: InvitationCreate, options?: RequestOptions): Promise<NewInvitation>;
    /** Create a key for a member */
    createApiKey(organization_id: string, body: MemberApiKeyCreate, options?: RequestOptions): Promise<NewApiKey>;
    /** Create a link with which a person sets a new password. The link works once, for an hour. Using it signs the person out everywhere. */
    createPasswordLink(user_id: string, options?: RequestOptions): Promise<PasswordLink>;
    /** Make a person a superadmin, or remove that role. Making a person a superadmin needs the shared key or a recent console session. The rights apply only to their own recent console sessions and to keys with the scope admin, not to their other keys and tokens. */
    updateUser(user_id: string, body: UserPatch, options?: RequestOptions): Promise<User>;
  };
  /** Shared numbers; superadmins only. */
  poolNumbers: {
    /** Add a number to the pool. The number must already belong to the carrier account of this server. */
    create(body: PoolNumberCreate, options?: RequestOptions): Promise<PoolNumber>;
    /** List pool numbers, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
    }, options?: RequestOptions): List<PoolNumberPage['items'][number]>;
    /** Put a pool number in quarantine or take it out */
    update(pool_number_id: string, body: PoolNumberPatch, options?: RequestOptions): Promise<PoolNumber>;
  };
  /** Stops a channel for every organization; superadmins only. */
  killSwitch: {
    /** Get which channels are stopped */
    get(options?: RequestOptions): Promise<KillSwitch>;
    /** Stop or resume a channel. Takes effect on every process within a second. While a channel is stopped, requests get 429 kill_switch, queued messages and calls wait (and fail with not_allowed if they wait too long), and calls to your numbers are declined. */
    update(body: KillSwitchPatch, options?: RequestOptions): Promise<KillSwitch>;
  };
  /** Who changed what; superadmins only. */
  auditLog: {
    /** List actions on credentials and actions of administrators, newest first */
    list(query?: {
      /** next_cursor of the previous page; leave out for the newest page. */
      cursor?: string;
      /** Maximum number of items per page. */
      limit?: number;
      /** A UUID. */
      organization_id?: string;
      action?: string;
    }, options?: RequestOptions): List<AuditEntryPage['items'][number]>;
  };
};

export const operations = {
  'identity.whoami': { method: 'GET', path: '/v1/whoami' },
  'goLive.get': { method: 'GET', path: '/v1/go-live' },
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
