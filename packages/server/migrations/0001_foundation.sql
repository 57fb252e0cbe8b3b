-- What every feature stands on: keys of repeated requests, request ceilings, background jobs, events; and contacts.

-- Timestamps as the API writes them. Immutable because the zone is fixed.
create function iso(moment timestamptz) returns text
  language sql immutable strict parallel safe
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

create table idempotency_keys (
  organization_id uuid not null,
  operation text not null,
  key text not null,
  fingerprint text not null,
  status int,
  body text,
  created_at timestamptz not null,
  primary key (organization_id, operation, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Lost in a crash without harm: every caller starts a new minute.
create unlogged table rate_buckets (
  key text primary key,
  full_at timestamptz not null,
  granted int not null
) with (fillfactor = 50);

create table jobs (
  id uuid primary key,
  kind text not null,
  payload jsonb not null,
  unique_key text unique,
  run_at timestamptz not null,
  attempts int not null,
  claims int not null
);
create index jobs_due on jobs (run_at);

-- position is the transaction that wrote the event: reading in its order, below the oldest running one,
-- misses nothing even though ids are made before their transaction commits.
create table events (
  id uuid primary key,
  organization_id uuid not null,
  type text not null,
  resource_id uuid not null,
  source_id uuid,
  created_at timestamptz not null,
  payload text not null,
  position xid8 not null default pg_current_xact_id()
);
create index events_newest on events (organization_id, id desc);
create index events_of_type on events (organization_id, type, id desc);
create index events_of_resource on events (organization_id, resource_id, id desc);
create index events_in_order on events (organization_id, position, id);

create table contacts (
  id uuid primary key,
  organization_id uuid not null,
  kind text not null check (kind in ('member', 'contact')),
  name text not null,
  phone_e164 text,
  email text,
  role text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The address in lower case, made by the service: the C locale of a database only knows ASCII.
  email_key text,
  -- Name, phone and address in lower case, one a line.
  search_text text not null,
  check (phone_e164 is not null or email is not null)
);
create index contacts_newest on contacts (organization_id, id desc);
create unique index contacts_phone on contacts (organization_id, phone_e164);
create unique index contacts_email on contacts (organization_id, email_key);
