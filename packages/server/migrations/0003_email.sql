-- Email: domains to send from, uploads, messages with their timeline, counters, suppressions, and the sandbox's outbox.

create table email_domains (
  id uuid primary key,
  organization_id uuid not null,
  kind text not null check (kind in ('service_mail', 'custom')),
  domain text not null,
  local_prefix_user text,
  local_prefix_org text,
  default_address text not null,
  verification_status text not null check (verification_status in ('pending', 'verified', 'failed')),
  dns_records json not null,
  dkim_selector text,
  -- Sealed: see platform/crypto.ts.
  dkim_private_key text,
  mail_from_domain text not null,
  mail_from_status text not null check (mail_from_status in ('pending', 'verified', 'failed')),
  provider text not null,
  verified_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  inbound_enabled boolean not null,
  forward_to text[] not null,
  forward_rate_per_hour int not null,
  mx_ready boolean not null
);
create index email_domains_newest on email_domains (organization_id, id desc);
-- Whoever proves a domain holds it alone; until then several may try.
create unique index email_domains_verified on email_domains (domain)
  where kind = 'custom' and verification_status = 'verified';
create unique index email_domains_own on email_domains (organization_id, domain) where kind = 'custom';
create unique index email_domains_address on email_domains (default_address) where kind = 'service_mail';

create table email_attachments (
  id uuid primary key,
  organization_id uuid not null,
  filename text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  storage_key text not null,
  created_at timestamptz not null,
  -- Not usable in new emails from then on; removed when no email holds it.
  expires_at timestamptz not null
);
create index email_attachments_expiry on email_attachments (expires_at);

create table emails (
  id uuid primary key,
  organization_id uuid not null,
  conversation_id uuid not null,
  email_domain_id uuid,
  direction text not null check (direction in ('outbound', 'inbound')),
  from_address text not null,
  from_name text,
  to_addresses text[] not null,
  cc_addresses text[] not null,
  bcc_addresses text[] not null,
  reply_to text,
  subject text not null,
  status text not null check (status in ('queued', 'sent', 'failed', 'bounced', 'complained', 'received')),
  end_reason text check (end_reason in ('smtp_rejected', 'connection_failed', 'timeout', 'provider_error', 'hard_bounce')),
  provider text,
  provider_message_id text,
  requested_at timestamptz not null,
  sent_at timestamptz,
  failed_at timestamptz,
  metadata json not null,
  body_text text,
  body_html text,
  message_id text,
  in_reply_to text,
  references_ids text[] not null,
  spam_verdict text,
  virus_verdict text,
  dkim_verdict text,
  spf_verdict text,
  dmarc_verdict text,
  provider_received_at timestamptz,
  last_event_at timestamptz,
  -- Where the raw message is kept; an outbound one is composed again from the record when asked for.
  raw_key text,
  -- What composing the message again needs beyond the columns above: names, headers, tracking.
  composition json,
  -- Subject and people, hashed: finds the conversation of a message that names no other.
  thread_key text not null,
  -- While queued: when the process that sends it must have given up at the latest.
  send_deadline timestamptz,
  -- The idempotency key of the request that waits for the outcome.
  idempotency_operation text,
  idempotency_key text
);
create index emails_newest on emails (organization_id, id desc);
create index emails_by_status on emails (organization_id, status, id desc);
create index emails_by_direction on emails (organization_id, direction, id desc);
create index emails_of_conversation on emails (organization_id, conversation_id, id desc);
create index emails_by_message_id on emails (organization_id, message_id);
create index emails_by_provider_id on emails (provider_message_id);
create index emails_by_thread on emails (organization_id, thread_key, requested_at desc);
create index emails_under_way on emails (send_deadline) where status = 'queued';

create table email_attachment_uses (
  email_id uuid not null references emails on delete cascade,
  attachment_id uuid not null references email_attachments,
  place int not null,
  primary key (email_id, attachment_id)
);
create index email_attachment_uses_of on email_attachment_uses (attachment_id);

-- The timeline. dedupe_key names a report: the same one twice is one entry.
create table email_events (
  id uuid primary key,
  organization_id uuid not null,
  email_id uuid not null,
  kind text not null,
  occurred_at timestamptz not null,
  detail json not null,
  dedupe_key text not null,
  -- The counters this entry raised, so that part of an hour can be counted exactly.
  counted text[] not null
);
create unique index email_events_once on email_events (email_id, dedupe_key);
create index email_events_of on email_events (organization_id, email_id, id);
create index email_events_in_time on email_events (organization_id, occurred_at);

-- One row an hour, split over slots so that busy processes do not wait for each other's commit.
create table email_counters (
  organization_id uuid not null,
  hour_start timestamptz not null,
  slot smallint not null,
  sent int not null,
  delivered int not null,
  delivery_delayed int not null,
  bounced int not null,
  bounced_hard int not null,
  complained int not null,
  rejected int not null,
  opened int not null,
  clicked int not null,
  unique_opened int not null,
  unique_clicked int not null,
  primary key (organization_id, hour_start, slot)
) with (fillfactor = 50);

create table email_suppressions (
  id uuid primary key,
  organization_id uuid not null,
  recipient text not null,
  recipient_key text not null,
  reason text not null check (reason in ('hard_bounce', 'complaint', 'unsubscribe', 'manual')),
  source text not null,
  created_at timestamptz not null
);
create unique index email_suppressions_recipient on email_suppressions (organization_id, recipient_key);
create index email_suppressions_newest on email_suppressions (organization_id, id desc);

create table sandbox_outbox (
  id uuid primary key,
  organization_id uuid not null,
  channel text not null check (channel in ('email', 'sms', 'call')),
  resource_id uuid not null,
  handed_at timestamptz not null,
  sender text not null,
  recipients text[] not null,
  message json not null
);
create index sandbox_outbox_newest on sandbox_outbox (organization_id, id desc);
