// The limits of the API: sizes, counts and lengths that callers can rely on.

export const webhook_api_version = '2026-06-06';

export const nil_uuid = '00000000-0000-0000-0000-000000000000';

export const limits = {
  page_default: 50,
  page_max: 200,
  json_body_bytes: 1024 * 1024,
  json_depth: 32,
  header_bytes: 16 * 1024,
  idempotency_key_chars: 255,
  idempotency_kept_hours: 24,
  metadata_bytes: 16 * 1024,
  contact_name_chars: 200,
  email_address_chars: 254,
  search_chars: 200,
  name_chars: 200,
  invitation_kept_days: 7,
  email_name_chars: 200,
  /** A name, an address, and the quotes and brackets around them. */
  mailbox_chars: 600,
  email_recipients: 50,
  email_subject_chars: 900,
  email_headers: 20,
  email_header_chars: 900,
  email_attachments: 50,
  email_batch: 100,
  email_batch_bytes: 5 * 1024 * 1024,
  /** Maximum length of a timeline up to which opens and clicks are added: anyone with a link can cause them. */
  email_timeline_visits: 1000,
  /** Maximum number of unreadable messages stored per return path: any recipient can send them. */
  email_unreadable_reports: 10,
  message_id_chars: 500,
  email_forward_addresses: 10,
  /** Recipients of one inbound message. */
  inbound_recipients: 100,
  inbound_mime_depth: 30,
  inbound_mime_parts: 1000,
  /** RFC 5322 allows 998; many senders exceed it. */
  inbound_line_bytes: 100_000,
  inbound_hops: 50,
  /** For the header of the message: enough for a thousand recipients, one per line. */
  inbound_header_lines: 2000,
  inbound_header_bytes: 256 * 1024,
  /** For the header of each MIME part. */
  inbound_part_header_lines: 200,
  inbound_part_header_bytes: 32 * 1024,
  inbound_body_chars: 1024 * 1024,
  statistics_days: 366,
  statistics_hour_days: 31,
  agent_name_chars: 100,
  agent_prompt_chars: 32_000,
  agent_first_message_chars: 1000,
  sms_body_chars: 1600,
  number_quote_minutes: 10,
  wait_default_seconds: 30,
  wait_max_seconds: 55,
  approval_rules: 50,
  approval_rule_name_chars: 100,
  approval_note_chars: 1000,
  approvals_pending: 500,
  trusted_recipients: 1000,
  budgets: 1000,
  budgets_per_subject: 20,
  schedule_min_seconds: 10,
  schedule_max_days: 30,
  webhook_url_chars: 2048,
  webhook_event_types: 100,
  webhook_response_bytes: 4096,
  webhook_subscriptions: 500,
  webhook_attempts_kept: 100,
  webhook_secret_overlap_hours: 24,
  event_streams_per_caller: 20,
  sandbox_advance_seconds: 366 * 86_400,
  sandbox_events: 1000,
} as const;
