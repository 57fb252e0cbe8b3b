-- compatible-from: 0049
-- Signed statements about attempts to contact a person. A receipt names people only by salted hashes.
create table receipt_keys (
  kid text primary key,
  public_jwk json not null,
  private_sealed text not null,
  created_at timestamptz not null,
  -- Still verifies, but signs no more.
  retired_at timestamptz
);
create unique index receipt_keys_current on receipt_keys ((true)) where retired_at is null;

-- The end of the chain of each organization.
create table receipt_chains (
  organization_id uuid primary key,
  seq bigint not null,
  last_sha256 text
);

create table receipts (
  id uuid primary key,
  organization_id uuid not null,
  seq bigint not null,
  noun text not null,
  object_id uuid not null,
  kid text not null,
  jws text not null,
  -- The salts and the addresses or numbers behind the hashes; null after the person was erased.
  disclosures json,
  created_at timestamptz not null,
  unique (organization_id, seq),
  unique (organization_id, object_id)
);
create index receipts_newest on receipts (organization_id, id);

-- Records that were not handed over when they were last looked at.
create table receipts_due (
  organization_id uuid not null,
  noun text not null,
  id uuid not null,
  look_at timestamptz not null,
  looks integer not null default 0,
  primary key (organization_id, id)
);
create index receipts_due_next on receipts_due (look_at);
