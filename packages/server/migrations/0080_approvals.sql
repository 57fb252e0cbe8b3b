-- compatible-from: 0049
-- Approvals: what waits for a person, as it was shown. payload_sha256 binds the decision to exactly that. terms: the rule as
-- it was (name, approvers, ways to decide) and what the price is computed from.
create table approvals (
  organization_id uuid not null,
  id uuid not null,
  status text not null check (status in ('pending', 'approved', 'rejected', 'expired', 'canceled')),
  noun text not null,
  object_id uuid not null,
  payload_sha256 text not null,
  quoted_price_micros bigint not null,
  shown json not null,
  messages json not null,
  reasons json not null,
  rule text not null,
  terms json not null,
  policy_version bigint not null,
  requested_by json not null,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  decided_via text,
  note text,
  primary key (organization_id, id)
);
create index approvals_by_status on approvals (organization_id, status, id);
create index approvals_due on approvals (expires_at) where status = 'pending';

-- Links that were mailed to approvers; only hashes of their tokens are stored. A link works once.
create table approval_links (
  organization_id uuid not null,
  approval_id uuid not null,
  user_id uuid not null,
  token_hash text not null,
  primary key (organization_id, approval_id, user_id),
  foreign key (organization_id, approval_id) references approvals (organization_id, id) on delete cascade
);
create unique index approval_links_token on approval_links (token_hash);

-- Recipients of approved messages and calls: a person saw the address or number and agreed.
create table approved_recipients (
  organization_id uuid not null,
  party text not null,
  approved_at timestamptz not null,
  primary key (organization_id, party)
);
