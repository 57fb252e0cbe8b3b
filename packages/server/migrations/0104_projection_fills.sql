-- compatible-from: 0049
-- Records that a job queues for projection, newest first: those of before the projections existed, and those of a rebuild.
-- organization_id null: of all organizations. Everything from `below` on is queued already.
create table projection_fills (
  scope text primary key,
  organization_id uuid,
  noun text not null,
  below uuid,
  queued bigint not null default 0,
  requested_at timestamptz not null default now(),
  done_at timestamptz
);
insert into projection_fills (scope, noun)
  select 'all:' || noun, noun from unnest(array['email', 'sms', 'call', 'contact']) as noun;

-- Lists of what is held.
create index emails_held on emails (organization_id, id) where hold is not null;
create index sms_messages_held on sms_messages (organization_id, id) where hold is not null;
create index calls_held on calls (organization_id, id) where hold is not null;
