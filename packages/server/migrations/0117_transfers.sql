-- compatible-from: 0049
-- contracts: the check is replaced by a wider one that accepts every value the previous release writes
-- Transfers: a second call to a colleague, under the call of the person. Columns are null for calls of older releases.
alter table calls add column parent_call_id uuid;
-- A copy of the latest transfer, so that reading a call needs no second table.
alter table calls add column transfer json;
create index calls_by_parent on calls (parent_call_id) where parent_call_id is not null;

create table call_transfers (
  organization_id uuid not null,
  id uuid not null,
  call_id uuid not null,
  status text not null check (status in
    ('requested', 'dialing', 'ringing', 'consulting', 'connected', 'ended', 'failed', 'canceled')),
  destination text,
  "to" text not null,
  mode text not null,
  via text not null,
  reason text,
  requested_by text not null,
  leg_call_id uuid,
  requested_at timestamptz not null,
  connected_at timestamptz,
  ended_at timestamptz,
  failure text,
  primary key (organization_id, id)
);
-- One at a time.
create unique index call_transfers_open on call_transfers (call_id)
  where status in ('requested', 'dialing', 'ringing', 'consulting', 'connected');
create index call_transfers_by_leg on call_transfers (leg_call_id) where leg_call_id is not null;

-- A larger set of values needs no scan of the rows.
alter table call_turns drop constraint if exists call_turns_speaker_check;
alter table call_turns add constraint call_turns_speaker_check
  check (speaker in ('agent', 'person', 'colleague')) not valid;
