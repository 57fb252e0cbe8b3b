-- Made by `npm run generate` from the migrations; read it, do not run it.

create table api_keys (
  id uuid not null,
  organization_id uuid not null,
  user_id uuid not null,
  name text not null,
  start text not null,
  hash text not null,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_keys_hash_key UNIQUE (hash),
  constraint api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts.users(id) ON DELETE CASCADE
);
CREATE INDEX api_keys_newest ON public.api_keys USING btree (organization_id, id DESC);

create table audit_entries (
  id uuid not null,
  organization_id uuid,
  user_id uuid,
  credential_id text,
  action text not null,
  object_id text,
  ip text,
  request_id text,
  detail jsonb not null,
  created_at timestamp with time zone not null,
  constraint audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_of_organization ON public.audit_entries USING btree (organization_id, id DESC);

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

create table credential_changes (
  only_row boolean not null default true,
  version bigint not null,
  constraint credential_changes_only_row_check CHECK (only_row),
  constraint credential_changes_pkey PRIMARY KEY (only_row)
);

create table device_logins (
  id uuid not null,
  device_code_hash text not null,
  user_code text not null,
  client_id text not null,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  last_polled_at timestamp with time zone,
  interval_seconds integer not null,
  user_id uuid,
  organization_id uuid,
  approved_at timestamp with time zone,
  denied_at timestamp with time zone,
  used_at timestamp with time zone,
  constraint device_logins_device_code_hash_key UNIQUE (device_code_hash),
  constraint device_logins_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint device_logins_pkey PRIMARY KEY (id),
  constraint device_logins_user_code_key UNIQUE (user_code),
  constraint device_logins_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts.users(id) ON DELETE CASCADE
);
CREATE INDEX device_logins_age ON public.device_logins USING btree (expires_at);

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

create table invitations (
  id uuid not null,
  organization_id uuid not null,
  email text not null,
  role text not null,
  token_hash text not null,
  invited_by uuid,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  constraint invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES accounts.users(id) ON DELETE SET NULL,
  constraint invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint invitations_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX invitations_newest ON public.invitations USING btree (organization_id, id DESC);

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

create table kill_switches (
  channel text not null,
  stopped boolean not null,
  changed_at timestamp with time zone not null,
  constraint kill_switches_channel_check CHECK ((channel = ANY (ARRAY['calls'::text, 'emails'::text, 'sms'::text]))),
  constraint kill_switches_pkey PRIMARY KEY (channel)
);

create table ledger_entries (
  id uuid not null,
  organization_id uuid not null,
  kind text not null,
  amount_micros bigint not null,
  balance_micros bigint not null,
  item text,
  quantity integer,
  reference text,
  note text,
  created_at timestamp with time zone not null,
  constraint ledger_entries_kind_check CHECK ((kind = ANY (ARRAY['credit'::text, 'charge'::text]))),
  constraint ledger_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint ledger_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX ledger_entries_newest ON public.ledger_entries USING btree (organization_id, id DESC);
CREATE UNIQUE INDEX ledger_entries_once ON public.ledger_entries USING btree (organization_id, item, reference);

create table master_key (
  only_row boolean not null default true,
  key_id text not null,
  kept_key text,
  constraint master_key_only_row_check CHECK (only_row),
  constraint master_key_pkey PRIMARY KEY (only_row)
);

create table members (
  id uuid not null,
  organization_id uuid not null,
  user_id uuid not null,
  role text not null,
  contact_id uuid,
  created_at timestamp with time zone not null,
  constraint members_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES contacts(id) ON DELETE SET NULL,
  constraint members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint members_pkey PRIMARY KEY (id),
  constraint members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint members_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts.users(id) ON DELETE CASCADE
);
CREATE INDEX members_newest ON public.members USING btree (organization_id, id DESC);
CREATE UNIQUE INDEX members_of_organization ON public.members USING btree (organization_id, user_id);
CREATE INDEX members_of_user ON public.members USING btree (user_id);

create table migrations (
  name text not null,
  hash text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table organizations (
  id uuid not null,
  name text not null,
  origin text not null,
  calls_per_hour integer,
  emails_per_hour integer,
  sms_per_hour integer,
  balance_micros bigint not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint organizations_origin_check CHECK ((origin = ANY (ARRAY['human'::text, 'agent'::text]))),
  constraint organizations_pkey PRIMARY KEY (id)
);

create table prices (
  item text not null,
  price_micros bigint not null,
  constraint prices_item_check CHECK ((item = ANY (ARRAY['call_minute'::text, 'sms_segment'::text, 'number_setup'::text, 'number_month'::text, 'inbound_email'::text]))),
  constraint prices_pkey PRIMARY KEY (item),
  constraint prices_price_micros_check CHECK ((price_micros >= 0))
);

create table provider_settings (
  organization_id uuid not null,
  layer text not null,
  provider text not null,
  key_sealed text not null,
  key_last4 text not null,
  key_set_at timestamp with time zone not null,
  params jsonb not null,
  fallback_enabled boolean not null,
  is_active boolean not null,
  constraint provider_settings_layer_check CHECK ((layer = ANY (ARRAY['llm'::text, 'stt'::text, 'tts'::text]))),
  constraint provider_settings_pkey PRIMARY KEY (organization_id, layer, provider)
);
CREATE UNIQUE INDEX provider_settings_active ON public.provider_settings USING btree (organization_id, layer) WHERE is_active;

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

create table velocity_minutes (
  organization_id uuid not null,
  channel text not null,
  minute timestamp with time zone not null,
  count integer not null,
  constraint velocity_minutes_pkey PRIMARY KEY (organization_id, channel, minute)
);
CREATE INDEX velocity_minutes_age ON public.velocity_minutes USING btree (minute);

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
