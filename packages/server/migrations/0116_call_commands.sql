-- compatible-from: 0049
-- Commands for a call in progress: any process stores them, and the process that runs the call carries them out.
create table call_commands (
  organization_id uuid not null,
  id uuid not null,
  call_id uuid not null,
  kind text not null,
  body json not null,
  created_at timestamptz not null,
  -- Real time, also where the service's clock was moved: after it no process carries the command out.
  expires_at timestamptz not null,
  -- Set before the command is carried out: one whose process is lost is not carried out again.
  claimed_at timestamptz,
  settled_at timestamptz,
  outcome text,
  detail text,
  -- The Idempotency-Key whose response is stored with the outcome.
  idempotency_operation text,
  idempotency_key text,
  primary key (organization_id, id)
);
create index call_commands_open on call_commands (call_id, id) where settled_at is null;
create index call_commands_old on call_commands (created_at);

alter table call_turns add column requested_by text;
alter table call_turns add column is_private boolean;
