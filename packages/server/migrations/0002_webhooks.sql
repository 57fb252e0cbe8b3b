-- Webhooks: subscriptions and their deliveries; where an event came through; and the clock of the sandbox.

-- What source_id is called, told to receivers: the domain of an email that came in.
alter table events add column source_name text;

create table webhook_subscriptions (
  id uuid primary key,
  organization_id uuid not null,
  target_url text not null,
  event_types text[] not null,
  email_domain_id uuid,
  status text not null check (status in ('active', 'disabled')),
  disabled_reason text check (disabled_reason in ('switched_off', 'kept_failing')),
  dead_streak int not null,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webhook_subscriptions_newest on webhook_subscriptions (organization_id, id desc);

-- One row an (event, subscription), whose id is made from both. Attempts are kept in the row: the usual delivery
-- is written once when the event happens and once when the receiver has answered.
create table webhook_deliveries (
  id uuid primary key,
  organization_id uuid not null,
  subscription_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  -- The body of a test, which belongs to no event.
  test_payload text,
  status text not null check (status in ('pending', 'delivered', 'dead')),
  ladder_left int not null,
  first_attempt_at timestamptz,
  -- When it may be claimed: the time it is due or, while somebody works on it, the end of their lease.
  claimable_at timestamptz not null,
  is_leased boolean not null,
  -- Counts claims; who holds an older number may no longer say how it went.
  claim_no int not null,
  -- An attempt beyond the ladder was asked for.
  is_manual boolean not null,
  attempts jsonb not null,
  created_at timestamptz not null,
  delivered_at timestamptz
);
create index webhook_deliveries_newest on webhook_deliveries (subscription_id, id desc);
create index webhook_deliveries_dead on webhook_deliveries (subscription_id, id desc) where status = 'dead';
create index webhook_deliveries_waiting on webhook_deliveries (subscription_id, claimable_at)
  where status = 'pending' and not is_manual;
create index webhook_deliveries_manual on webhook_deliveries (claimable_at) where is_manual;

create table sandbox_clock (
  only_row boolean primary key default true check (only_row),
  offset_ms bigint not null
);
insert into sandbox_clock (offset_ms) values (0);
