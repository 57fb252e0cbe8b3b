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
