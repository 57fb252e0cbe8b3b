-- compatible-from: 0049
-- Requests to be told when one of several things happens.
create table waits (
  organization_id uuid not null,
  id uuid not null,
  status text not null check (status in ('pending', 'resolved', 'expired', 'canceled')),
  any_of json not null,
  since timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  matched json,
  metadata json not null,
  -- The only conversation that it may see: of waits that a conversation token created.
  only_thread_id uuid,
  -- When a process evaluates the conditions next. Something that may make one true moves it to the present.
  look_at timestamptz not null,
  -- Messages that were received earlier were evaluated before.
  unseen_from timestamptz not null,
  primary key (organization_id, id)
);
create index waits_by_status on waits (organization_id, status, id);
create index waits_due on waits (look_at) where status = 'pending';
create index waits_over on waits (ended_at) where ended_at is not null;

-- What pending waits are about: an id, a number or an address. An event about it is a reason to look.
create table wait_keys (
  organization_id uuid not null,
  wait_id uuid not null,
  key text not null,
  primary key (organization_id, wait_id, key)
);
create index wait_keys_by_key on wait_keys (organization_id, key);

-- The organizations with pending waits, and how far their events were read.
create table wait_followers (
  organization_id uuid primary key,
  position xid8 not null,
  event_id uuid not null,
  -- No event after the position has a smaller id: PostgreSQL then reads only the newest partitions.
  first_id uuid not null,
  moved_at timestamptz not null
);
