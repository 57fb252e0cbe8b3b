-- Agents, phone numbers, the pool of shared numbers, verifications, and texts with what governs them.

create table agents (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  system_prompt text,
  first_message text,
  language text not null,
  voice text,
  llm_model text,
  tools text[] not null,
  max_duration_seconds int not null,
  ai_disclosure boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index agents_newest on agents (organization_id, id desc);

create table number_quotes (
  id uuid primary key,
  organization_id uuid not null,
  provider text not null,
  e164 text,
  pattern text,
  country_code text not null,
  number_type text not null,
  capabilities text[] not null,
  monthly_cents int,
  setup_cents int,
  currency text not null,
  readiness text not null check (readiness in ('ready', 'verification_required')),
  expires_at timestamptz not null
);
create index number_quotes_age on number_quotes (expires_at);

create table numbers (
  id uuid primary key,
  organization_id uuid not null,
  provider text not null,
  provider_number_id text,
  e164 text not null,
  country_code text not null,
  number_type text not null check (number_type in ('local', 'mobile', 'toll_free', 'national')),
  capabilities text[] not null,
  provisioning_state text not null check (provisioning_state in ('pending', 'active', 'failed', 'released')),
  failure_reason text,
  messaging_service_sid text,
  voice_agent_id uuid references agents (id) on delete set null,
  sms_agent_id uuid references agents (id) on delete set null,
  inbound_registered boolean not null,
  monthly_cents int,
  setup_cents int,
  currency text not null,
  verification_reference text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  released_at timestamptz
);
create index numbers_newest on numbers (organization_id, id desc);
create index numbers_voice_agent on numbers (voice_agent_id);
create index numbers_sms_agent on numbers (sms_agent_id);
-- A number has one holder at a time; whoever comes second learns it from this index.
create unique index numbers_held on numbers (e164) where provisioning_state in ('pending', 'active');

create table pool_numbers (
  id uuid primary key,
  provider text not null,
  e164 text not null unique,
  country_code text not null,
  number_type text not null,
  capabilities text[] not null,
  provisioning_state text not null check (provisioning_state in ('active', 'failed')),
  bound_call_id uuid unique,
  bound_at timestamptz,
  -- The carrier's name for the call, once it has one: the sweeper asks about it before it frees the number.
  carrier_call_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table verifications (
  id uuid primary key,
  organization_id uuid not null,
  provider text not null,
  provider_verification_id text,
  country_code text not null,
  number_type text not null,
  subject_type text not null,
  subject_name text not null,
  address json,
  registration_number text,
  state text not null check (state in ('draft', 'submitted', 'in_review', 'approved', 'rejected', 'canceled')),
  rejection_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  submitted_at timestamptz,
  approved_at timestamptz
);
create index verifications_newest on verifications (organization_id, id desc);

create table sms_messages (
  id uuid primary key,
  organization_id uuid not null,
  conversation_id uuid not null,
  direction text not null check (direction in ('outbound', 'inbound')),
  "from" text not null,
  "to" text not null,
  body text not null,
  status text not null check (status in ('queued', 'sent', 'delivered', 'undelivered', 'failed', 'received')),
  error_code text,
  segments int not null,
  encoding text not null,
  provider text not null,
  provider_message_id text,
  requested_at timestamptz not null,
  sent_at timestamptz,
  delivered_at timestamptz,
  failed_at timestamptz,
  metadata json not null,
  -- Who made it: a caller, an agent, the service answering an opt-out word, or the carrier for what comes in.
  origin text not null check (origin in ('api', 'agent', 'keyword', 'carrier')),
  -- The text it answers: one answer at most.
  answers_id uuid,
  -- Sent under the server's sender, which many organizations share: an answer to it goes to the last one.
  is_shared_sender boolean not null,
  -- The row is its own job: when something is to be done for it next, and null when nothing is.
  next_attempt_at timestamptz,
  attempts int not null,
  claims int not null,
  -- Set before the carrier is called and cleared when it certainly did nothing: while set, it may have been sent.
  handed_at timestamptz
);
create index sms_messages_newest on sms_messages (organization_id, id desc);
create index sms_messages_conversation on sms_messages (organization_id, conversation_id, id desc);
create index sms_messages_inbound on sms_messages (organization_id, id desc) where direction = 'inbound';
create index sms_messages_shared_sender on sms_messages ("to", id desc) where is_shared_sender;
create index sms_messages_due on sms_messages (next_attempt_at) where next_attempt_at is not null;
create unique index sms_messages_carrier on sms_messages (provider, provider_message_id) where provider_message_id is not null;
create unique index sms_messages_answers on sms_messages (answers_id) where answers_id is not null;

create table sms_sender_ids (
  organization_id uuid primary key,
  custom_sender_id text
);

create table sms_suppressions (
  id uuid primary key,
  organization_id uuid not null,
  recipient text not null,
  channel text not null check (channel in ('sms')),
  reason text not null check (reason in ('opt_out', 'carrier_refusal', 'manual')),
  source text not null check (source in ('keyword', 'carrier', 'api')),
  created_at timestamptz not null,
  unique (organization_id, channel, recipient)
);
create index sms_suppressions_newest on sms_suppressions (organization_id, id desc);
