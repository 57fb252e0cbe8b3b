-- compatible-from: 0049
-- The rules of an organization for what it sends, one row per organization: read together with one query, because every
-- send needs them. A column is null while its rule is not set. version grows with every change.
create table sending_rules (
  organization_id uuid primary key,
  version bigint not null,
  quiet_hours json,
  contact_rules json,
  approval_policy json,
  trusted_recipients json,
  has_budgets boolean not null default false,
  updated_at timestamptz not null
);
