-- Calls: the record, what the agent was told, what happened, and what was said.

create table calls (
  id uuid primary key,
  organization_id uuid not null,
  conversation_id uuid not null,
  agent_id uuid,
  direction text not null check (direction in ('outbound', 'inbound')),
  status text not null check (status in ('queued', 'dialing', 'ringing', 'in_progress', 'completed', 'failed', 'busy', 'no_answer', 'canceled')),
  end_reason text,
  "from" text,
  "to" text not null,
  provider text,
  provider_call_id text,
  answered_by text check (answered_by in ('human', 'machine', 'unknown')),
  requested_at timestamptz not null,
  started_at timestamptz,
  ringing_at timestamptz,
  answered_at timestamptz,
  ended_at timestamptz,
  duration_seconds int,
  metadata json not null,
  ring_timeout_seconds int not null,
  is_recorded boolean not null,
  -- How the agent speaks on this call, as it was when the call was asked for.
  plan json not null,
  -- The key of the caller's own brain; sealed: see platform/crypto.ts.
  brain_key_sealed text,
  recording_key text,
  hang_up_requested_at timestamptz,
  -- Until when the process that leads the call has promised to be there, in the database's own time: the sandbox's
  -- clock may jump while somebody speaks.
  lease_until timestamptz
);
create index calls_newest on calls (organization_id, id desc);
create index calls_status on calls (organization_id, status, id desc);
create index calls_recipient on calls (organization_id, "to", id desc);
create index calls_queue on calls (id) where status = 'queued';
create index calls_led on calls (lease_until) where status in ('dialing', 'ringing', 'in_progress');
create unique index calls_carrier on calls (provider, provider_call_id) where provider_call_id is not null;

create table call_events (
  id uuid primary key,
  organization_id uuid not null,
  call_id uuid not null,
  kind text not null,
  occurred_at timestamptz not null,
  detail json not null
);
create index call_events_newest on call_events (call_id, id desc);

create table call_turns (
  id uuid primary key,
  organization_id uuid not null,
  call_id uuid not null,
  speaker text not null check (speaker in ('agent', 'person')),
  text text not null,
  started_ms int not null,
  ended_ms int not null,
  is_interrupted boolean not null,
  timings json
);
create index call_turns_order on call_turns (call_id, started_ms);
