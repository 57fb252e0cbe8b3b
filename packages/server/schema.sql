-- Made by `npm run generate` from the migrations; read it, do not run it.

create table agents (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  system_prompt text,
  first_message text,
  language text not null,
  voice text,
  llm_model text,
  tools text[] not null,
  max_duration_seconds integer not null,
  ai_disclosure boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint agents_pkey PRIMARY KEY (id)
);
CREATE INDEX agents_newest ON public.agents USING btree (organization_id, id DESC);

create table contacts (
  id uuid not null,
  organization_id uuid not null,
  kind text not null,
  name text not null,
  phone_e164 text,
  email text,
  role text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  email_key text,
  search_text text not null,
  constraint contacts_check CHECK (((phone_e164 IS NOT NULL) OR (email IS NOT NULL))),
  constraint contacts_kind_check CHECK ((kind = ANY (ARRAY['member'::text, 'contact'::text]))),
  constraint contacts_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX contacts_email ON public.contacts USING btree (organization_id, email_key);
CREATE INDEX contacts_newest ON public.contacts USING btree (organization_id, id DESC);
CREATE UNIQUE INDEX contacts_phone ON public.contacts USING btree (organization_id, phone_e164);

create table events (
  id uuid not null,
  organization_id uuid not null,
  type text not null,
  resource_id uuid not null,
  source_id uuid,
  created_at timestamp with time zone not null,
  payload text not null,
  "position" xid8 not null default pg_current_xact_id(),
  source_name text,
  constraint events_pkey PRIMARY KEY (id)
);
CREATE INDEX events_in_order ON public.events USING btree (organization_id, "position", id);
CREATE INDEX events_newest ON public.events USING btree (organization_id, id DESC);
CREATE INDEX events_of_resource ON public.events USING btree (organization_id, resource_id, id DESC);
CREATE INDEX events_of_type ON public.events USING btree (organization_id, type, id DESC);

create table idempotency_keys (
  organization_id uuid not null,
  operation text not null,
  key text not null,
  fingerprint text not null,
  status integer,
  body text,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (organization_id, operation, key)
);
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

create table jobs (
  id uuid not null,
  kind text not null,
  payload jsonb not null,
  unique_key text,
  run_at timestamp with time zone not null,
  attempts integer not null,
  claims integer not null,
  constraint jobs_pkey PRIMARY KEY (id),
  constraint jobs_unique_key_key UNIQUE (unique_key)
);
CREATE INDEX jobs_due ON public.jobs USING btree (run_at);

create table migrations (
  name text not null,
  hash text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table number_quotes (
  id uuid not null,
  organization_id uuid not null,
  provider text not null,
  e164 text,
  pattern text,
  country_code text not null,
  number_type text not null,
  capabilities text[] not null,
  monthly_cents integer,
  setup_cents integer,
  currency text not null,
  readiness text not null,
  expires_at timestamp with time zone not null,
  constraint number_quotes_pkey PRIMARY KEY (id),
  constraint number_quotes_readiness_check CHECK ((readiness = ANY (ARRAY['ready'::text, 'verification_required'::text])))
);
CREATE INDEX number_quotes_age ON public.number_quotes USING btree (expires_at);

create table numbers (
  id uuid not null,
  organization_id uuid not null,
  provider text not null,
  provider_number_id text,
  e164 text not null,
  country_code text not null,
  number_type text not null,
  capabilities text[] not null,
  provisioning_state text not null,
  failure_reason text,
  messaging_service_sid text,
  voice_agent_id uuid,
  sms_agent_id uuid,
  inbound_registered boolean not null,
  monthly_cents integer,
  setup_cents integer,
  currency text not null,
  verification_reference text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  released_at timestamp with time zone,
  constraint numbers_number_type_check CHECK ((number_type = ANY (ARRAY['local'::text, 'mobile'::text, 'toll_free'::text, 'national'::text]))),
  constraint numbers_pkey PRIMARY KEY (id),
  constraint numbers_provisioning_state_check CHECK ((provisioning_state = ANY (ARRAY['pending'::text, 'active'::text, 'failed'::text, 'released'::text]))),
  constraint numbers_sms_agent_id_fkey FOREIGN KEY (sms_agent_id) REFERENCES agents(id) ON DELETE SET NULL,
  constraint numbers_voice_agent_id_fkey FOREIGN KEY (voice_agent_id) REFERENCES agents(id) ON DELETE SET NULL
);
CREATE UNIQUE INDEX numbers_held ON public.numbers USING btree (e164) WHERE (provisioning_state = ANY (ARRAY['pending'::text, 'active'::text]));
CREATE INDEX numbers_newest ON public.numbers USING btree (organization_id, id DESC);
CREATE INDEX numbers_sms_agent ON public.numbers USING btree (sms_agent_id);
CREATE INDEX numbers_voice_agent ON public.numbers USING btree (voice_agent_id);

create table pool_numbers (
  id uuid not null,
  provider text not null,
  e164 text not null,
  country_code text not null,
  number_type text not null,
  capabilities text[] not null,
  provisioning_state text not null,
  bound_call_id uuid,
  bound_at timestamp with time zone,
  carrier_call_id text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint pool_numbers_bound_call_id_key UNIQUE (bound_call_id),
  constraint pool_numbers_e164_key UNIQUE (e164),
  constraint pool_numbers_pkey PRIMARY KEY (id),
  constraint pool_numbers_provisioning_state_check CHECK ((provisioning_state = ANY (ARRAY['active'::text, 'failed'::text])))
);

create unlogged table rate_buckets (
  key text not null,
  full_at timestamp with time zone not null,
  granted integer not null,
  constraint rate_buckets_pkey PRIMARY KEY (key)
);

create table sandbox_clock (
  only_row boolean not null default true,
  offset_ms bigint not null,
  constraint sandbox_clock_only_row_check CHECK (only_row),
  constraint sandbox_clock_pkey PRIMARY KEY (only_row)
);

create table sms_messages (
  id uuid not null,
  organization_id uuid not null,
  conversation_id uuid not null,
  direction text not null,
  "from" text not null,
  "to" text not null,
  body text not null,
  status text not null,
  error_code text,
  segments integer not null,
  encoding text not null,
  provider text not null,
  provider_message_id text,
  requested_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  failed_at timestamp with time zone,
  metadata json not null,
  origin text not null,
  answers_id uuid,
  is_shared_sender boolean not null,
  next_attempt_at timestamp with time zone,
  attempts integer not null,
  claims integer not null,
  handed_at timestamp with time zone,
  constraint sms_messages_direction_check CHECK ((direction = ANY (ARRAY['outbound'::text, 'inbound'::text]))),
  constraint sms_messages_origin_check CHECK ((origin = ANY (ARRAY['api'::text, 'agent'::text, 'keyword'::text, 'carrier'::text]))),
  constraint sms_messages_pkey PRIMARY KEY (id),
  constraint sms_messages_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'delivered'::text, 'undelivered'::text, 'failed'::text, 'received'::text])))
);
CREATE UNIQUE INDEX sms_messages_answers ON public.sms_messages USING btree (answers_id) WHERE (answers_id IS NOT NULL);
CREATE UNIQUE INDEX sms_messages_carrier ON public.sms_messages USING btree (provider, provider_message_id) WHERE (provider_message_id IS NOT NULL);
CREATE INDEX sms_messages_conversation ON public.sms_messages USING btree (organization_id, conversation_id, id DESC);
CREATE INDEX sms_messages_due ON public.sms_messages USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX sms_messages_inbound ON public.sms_messages USING btree (organization_id, id DESC) WHERE (direction = 'inbound'::text);
CREATE INDEX sms_messages_newest ON public.sms_messages USING btree (organization_id, id DESC);
CREATE INDEX sms_messages_shared_sender ON public.sms_messages USING btree ("to", id DESC) WHERE is_shared_sender;

create table sms_sender_ids (
  organization_id uuid not null,
  custom_sender_id text,
  constraint sms_sender_ids_pkey PRIMARY KEY (organization_id)
);

create table sms_suppressions (
  id uuid not null,
  organization_id uuid not null,
  recipient text not null,
  channel text not null,
  reason text not null,
  source text not null,
  created_at timestamp with time zone not null,
  constraint sms_suppressions_channel_check CHECK ((channel = 'sms'::text)),
  constraint sms_suppressions_organization_id_channel_recipient_key UNIQUE (organization_id, channel, recipient),
  constraint sms_suppressions_pkey PRIMARY KEY (id),
  constraint sms_suppressions_reason_check CHECK ((reason = ANY (ARRAY['opt_out'::text, 'carrier_refusal'::text, 'manual'::text]))),
  constraint sms_suppressions_source_check CHECK ((source = ANY (ARRAY['keyword'::text, 'carrier'::text, 'api'::text])))
);
CREATE INDEX sms_suppressions_newest ON public.sms_suppressions USING btree (organization_id, id DESC);

create table verifications (
  id uuid not null,
  organization_id uuid not null,
  provider text not null,
  provider_verification_id text,
  country_code text not null,
  number_type text not null,
  subject_type text not null,
  subject_name text not null,
  address json,
  registration_number text,
  state text not null,
  rejection_reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  submitted_at timestamp with time zone,
  approved_at timestamp with time zone,
  constraint verifications_pkey PRIMARY KEY (id),
  constraint verifications_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'submitted'::text, 'in_review'::text, 'approved'::text, 'rejected'::text, 'canceled'::text])))
);
CREATE INDEX verifications_newest ON public.verifications USING btree (organization_id, id DESC);

create table webhook_deliveries (
  id uuid not null,
  organization_id uuid not null,
  subscription_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  test_payload text,
  status text not null,
  ladder_left integer not null,
  first_attempt_at timestamp with time zone,
  claimable_at timestamp with time zone not null,
  is_leased boolean not null,
  claim_no integer not null,
  is_manual boolean not null,
  attempts jsonb not null,
  created_at timestamp with time zone not null,
  delivered_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])))
);
CREATE INDEX webhook_deliveries_dead ON public.webhook_deliveries USING btree (subscription_id, id DESC) WHERE (status = 'dead'::text);
CREATE INDEX webhook_deliveries_manual ON public.webhook_deliveries USING btree (claimable_at) WHERE is_manual;
CREATE INDEX webhook_deliveries_newest ON public.webhook_deliveries USING btree (subscription_id, id DESC);
CREATE INDEX webhook_deliveries_waiting ON public.webhook_deliveries USING btree (subscription_id, claimable_at) WHERE ((status = 'pending'::text) AND (NOT is_manual));

create table webhook_subscriptions (
  id uuid not null,
  organization_id uuid not null,
  target_url text not null,
  event_types text[] not null,
  email_domain_id uuid,
  status text not null,
  disabled_reason text,
  dead_streak integer not null,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint webhook_subscriptions_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['switched_off'::text, 'kept_failing'::text]))),
  constraint webhook_subscriptions_pkey PRIMARY KEY (id),
  constraint webhook_subscriptions_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);
CREATE INDEX webhook_subscriptions_newest ON public.webhook_subscriptions USING btree (organization_id, id DESC);
