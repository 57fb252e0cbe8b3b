-- compatible-from: 0049
-- contracts: the check of tool_calls is replaced by a wider one that accepts every value the previous release writes
-- Tools whose use a person approves. Null is read as none.
alter table tools add column approval text;
-- Which acts of agents wait for a person. Null is read as by_tool.
alter table sending_rules add column agent_approval json;

alter table tool_calls drop constraint if exists tool_calls_status_check;
alter table tool_calls add constraint tool_calls_status_check
  check (status in ('running', 'done', 'failed', 'cancelled', 'unknown', 'waiting_approval', 'approved')) not valid;
alter table tool_calls add column approval_id uuid;
-- Of the tool as it was when the approval was requested.
alter table tool_calls add column tool_sha256 text;
-- Approved on a call whose process may be gone.
create index tool_calls_approved on tool_calls (lost_at) where status = 'approved';

-- Answers to texts and emails that wait for the approval of tool calls.
create table suspended_replies (
  organization_id uuid not null,
  -- The message that is answered.
  message_id uuid not null,
  round int not null,
  -- The job that continues.
  request json not null,
  -- What the model said and called so far, with arguments that are stored nowhere else. Sealed.
  state_sealed text not null,
  suspended_at timestamptz not null,
  primary key (organization_id, message_id)
);
