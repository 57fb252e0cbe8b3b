-- The DKIM key of the service's own mail domains: one for all processes, made by the first that needs it.
create table service_mail_keys (
  domain text primary key,
  selector text not null,
  public_key text not null,
  -- Sealed: see platform/crypto.ts.
  private_key text not null,
  created_at timestamptz not null
);

-- How far the search for stored objects that no record names has come; `reached` is null between two rounds.
create table object_sweep (
  only_row boolean primary key default true check (only_row),
  -- Stands in the object storage too: what lies there belongs to this database and to no other.
  owner uuid not null,
  reached text,
  began_at timestamptz not null
);

-- How often a message was handed over without its outcome being written down, and when it was.
alter table email_forwards
  add column handovers smallint not null default 0,
  add column settled_at timestamptz;
