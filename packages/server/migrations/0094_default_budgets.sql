-- compatible-from: 0049
-- contracts: the check is replaced by a wider one that accepts every value the previous release writes
-- Budgets also limit the purchase of numbers.
alter table budgets drop constraint if exists budgets_channel_check;
alter table budgets add constraint budgets_channel_check check (channel in ('calls', 'sms', 'emails', 'numbers', 'all'));

-- Credentials that got their default budgets: a person may delete the budgets, and they must not come back.
create table default_budgets (
  organization_id uuid not null,
  subject_kind text not null check (subject_kind in ('api_key', 'oauth_grant')),
  subject_id uuid not null,
  created_at timestamptz not null,
  primary key (organization_id, subject_kind, subject_id)
);
-- Programs that people connected before this release stay without default budgets.
insert into default_budgets (organization_id, subject_kind, subject_id, created_at)
select "referenceId"::uuid, 'oauth_grant', id, "createdAt" from accounts."oauthConsent" where "referenceId" is not null;
