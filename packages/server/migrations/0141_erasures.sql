-- compatible-from: 0049
-- People who were erased, and how far a running erasure is. After the end a row names no person.
create table erasures (
  organization_id uuid not null,
  id uuid not null,
  contact_id uuid,
  keep_suppression boolean not null,
  -- HMACs with a key of the organization.
  party_hashes text[] not null,
  -- Numbers, addresses and names; null when the person is erased.
  person_sealed text,
  step text not null,
  -- The last id that the step has handled, or null.
  reached text,
  counts json not null,
  created_at timestamptz not null,
  started_at timestamptz,
  done_at timestamptz,
  failed_at timestamptz,
  primary key (organization_id, id)
);

-- The records of a running erasure: its later steps need them when nothing else says whose they were.
create table erasure_items (
  organization_id uuid not null,
  erasure_id uuid not null,
  id uuid not null,
  noun text not null,
  primary key (organization_id, erasure_id, id)
);
