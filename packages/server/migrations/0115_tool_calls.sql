-- compatible-from: 0049
-- What agents did and looked up with their tools. A row is written before its request leaves.
create table tool_calls (
  organization_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  call_id uuid,
  agent_id uuid,
  name text not null,
  kind text not null check (kind in ('built_in', 'http', 'mcp', 'client')),
  effect text not null check (effect in ('read', 'act')),
  -- Without the values that the tool keeps out of records.
  arguments json not null,
  status text not null check (status in ('running', 'done', 'failed', 'cancelled', 'unknown')),
  outcome json,
  -- The message that the agent answers; null on a call. A second run for it finds what the first one did.
  message_id uuid,
  round int not null,
  arguments_hash text not null,
  requested_at timestamptz not null,
  -- When it is certain that the process that runs it is gone.
  lost_at timestamptz not null,
  settled_at timestamptz,
  duration_ms int,
  primary key (organization_id, id)
);
create index tool_calls_by_call on tool_calls (organization_id, call_id, id) where call_id is not null;
create index tool_calls_by_conversation on tool_calls (organization_id, conversation_id, id);
create index tool_calls_by_message on tool_calls (organization_id, message_id, round) where message_id is not null;
create index tool_calls_by_agent on tool_calls (organization_id, agent_id, name, requested_at);
create index tool_calls_running on tool_calls (lost_at) where status = 'running';

-- Said while the agent waited for a tool. Null in rows of processes of an earlier release.
alter table call_turns add column is_filler boolean;
