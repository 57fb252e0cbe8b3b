-- compatible-from: 0049
-- Checks of webhook receivers: how a receiver answered valid, forged, stale and repeated deliveries.
create table webhook_certifications (
  id uuid primary key,
  organization_id uuid not null,
  subscription_id uuid not null references webhook_subscriptions (id) on delete cascade,
  score integer,
  grade text,
  cases json,
  duration_ms integer,
  created_at timestamptz not null,
  -- Null while it runs.
  done_at timestamptz
);
create index webhook_certifications_newest on webhook_certifications (organization_id, subscription_id, id);
create index webhook_certifications_of_subscription on webhook_certifications (subscription_id);
create index webhook_certifications_created on webhook_certifications (created_at);
