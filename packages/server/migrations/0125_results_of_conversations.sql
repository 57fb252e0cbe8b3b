-- compatible-from: 0049
-- Why an agent is paused. Null for agents that were paused by earlier releases.
alter table agents add column paused_reason text;

-- When the destination of an agent was told that no person answers.
alter table conversations add column hand_over_notified_at timestamptz;

-- Typed results and summaries of conversations by text and email, made when an agent finishes one.
create table conversation_results (
  organization_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  agent_id uuid not null,
  channel text not null,
  -- The message that the agent answered when it finished.
  message_id uuid not null,
  own text not null,
  status text not null,
  result json,
  result_error text,
  result_engine text,
  evidence json,
  summary text,
  success boolean,
  success_reason text,
  requested_at timestamptz not null,
  settled_at timestamptz,
  constraint conversation_results_status_check check (status in ('pending', 'ready', 'failed', 'skipped')),
  primary key (organization_id, id)
);
create index conversation_results_of_conversation on conversation_results (organization_id, conversation_id, id);

-- When the result of a call was stored. Null for results of earlier releases.
alter table calls add column result_settled_at timestamptz;
