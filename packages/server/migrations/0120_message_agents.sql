-- compatible-from: 0049
-- Agents that answer emails: one for a domain, and others for single addresses of it. New columns may be null, because a process
-- of the previous release inserts whole rows without them.
alter table email_domains add column email_agent_id uuid references agents (id) on delete set null;
alter table email_domains add column agent_addresses json;
create index email_domains_email_agent on email_domains (email_agent_id);

-- Whether the agent of a conversation may answer: a person may pause it, or take the conversation over.
alter table conversations add column agent_paused_until timestamptz;
alter table conversations add column is_with_human boolean;

-- Set when an agent wrote more messages within an hour than it may.
alter table agents add column paused_until timestamptz;

-- What agents wrote by themselves: limits count it, and a message is answered once.
create table agent_replies (
  organization_id uuid not null,
  -- The message that was answered.
  message_id uuid not null,
  reply_id uuid not null,
  agent_id uuid not null,
  channel text not null,
  thread_id uuid not null,
  -- The number or address that was answered.
  person text not null,
  -- SHA-256 of the answer.
  body_hash text not null,
  written_at timestamptz not null,
  primary key (organization_id, message_id)
);
create index agent_replies_of_thread on agent_replies (organization_id, thread_id, written_at);
create index agent_replies_of_person on agent_replies (organization_id, person, written_at);
create index agent_replies_of_agent on agent_replies (organization_id, agent_id, written_at);
create index agent_replies_written on agent_replies (written_at);
