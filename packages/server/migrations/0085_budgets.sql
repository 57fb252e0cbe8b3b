-- compatible-from: 0049
-- Limits in count and money per window of the calendar (UTC). subject_id is null for the organization itself.
create table budgets (
  id uuid primary key,
  organization_id uuid not null,
  subject_kind text not null check (subject_kind in ('organization', 'api_key', 'oauth_grant', 'agent')),
  subject_id uuid,
  channel text not null check (channel in ('calls', 'sms', 'emails', 'all')),
  budget_window text not null check (budget_window in ('hour', 'day', 'month')),
  max_count bigint,
  max_amount_micros bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index budgets_by_organization on budgets (organization_id, id);

-- What is used of a budget, one row per window that had any use.
create table budget_uses (
  organization_id uuid not null,
  budget_id uuid not null references budgets (id) on delete cascade,
  window_start timestamptz not null,
  used_count bigint not null default 0,
  used_micros bigint not null default 0,
  primary key (organization_id, budget_id, window_start)
);
create index budget_uses_by_age on budget_uses (window_start);

-- What calls in progress may cost at most, until their end says what they cost.
create table budget_reservations (
  organization_id uuid not null,
  reference text not null,
  budget_id uuid not null references budgets (id) on delete cascade,
  window_start timestamptz not null,
  count int not null,
  minutes int not null,
  price_micros bigint not null,
  created_at timestamptz not null,
  primary key (organization_id, reference, budget_id)
);
