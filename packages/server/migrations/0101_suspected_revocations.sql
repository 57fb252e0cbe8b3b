-- compatible-from: 0049
-- What people wrote that resembles a refusal and is not clear enough to obey. An agent does not answer there until a person
-- decides. One open row per recipient and channel.
create table suspected_revocations (
  organization_id uuid not null,
  id uuid not null,
  recipient text not null,
  recipient_key text not null,
  channel text not null check (channel in ('email', 'sms')),
  item_id uuid not null,
  created_at timestamptz not null,
  decision text check (decision in ('revoked', 'dismissed')),
  decided_at timestamptz,
  decided_by text,
  primary key (organization_id, id)
);
create unique index suspected_revocations_open on suspected_revocations (organization_id, recipient_key, channel)
  where decision is null;

-- The person must not be contacted on any channel.
alter table contacts add column do_not_contact boolean default false;
