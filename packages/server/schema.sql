-- Made by `npm run generate` from the migrations; read it, do not run it.

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
