-- compatible-from: 0049
-- Who may write to an organization or call it, and what happens with mail that fails a check.
create table receive_rules (
  organization_id uuid not null,
  id uuid not null,
  channel text not null check (channel in ('email', 'sms', 'call')),
  scope_kind text not null check (scope_kind in ('address', 'number', 'email_domain', 'organization')),
  -- The id of the domain, or the address or number in the form in which it is compared; empty for the organization.
  scope_value text not null,
  match_kind text not null check (match_kind in ('address', 'number', 'domain', 'country', 'everyone')),
  match_value text not null,
  applies_to text not null check (applies_to in ('all', 'new', 'reply')),
  action text not null check (action in ('allow', 'block', 'quarantine')),
  labels text[] not null,
  note text,
  hits bigint not null default 0,
  last_hit_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id)
);
create unique index receive_rules_once
  on receive_rules (organization_id, channel, scope_kind, scope_value, match_kind, match_value, applies_to);

create table receive_settings (
  organization_id uuid primary key,
  spam text not null check (spam in ('deliver', 'quarantine')),
  unauthenticated text not null check (unauthenticated in ('deliver', 'quarantine')),
  virus text not null check (virus in ('deliver', 'quarantine'))
);
-- Existing organizations keep the old behavior (deliver everything) until they change these settings.
insert into receive_settings (organization_id, spam, unauthenticated, virus)
  select distinct organization_id, 'deliver', 'deliver', 'deliver' from email_domains;

-- Blocked mail is not stored. One event an hour for each rule and sender says how many there were.
create table receive_blocks (
  organization_id uuid not null,
  rule_id uuid not null,
  sender text not null,
  announced_at timestamptz not null,
  not_announced int not null,
  primary key (organization_id, rule_id, sender)
);
create index receive_blocks_old on receive_blocks (announced_at);

-- The rule that blocked a received text.
alter table sms_messages add column blocked_by uuid;
