-- compatible-from: 0049
-- Requests that open a way out for data and wait for a person. After the approval the same request is carried out once.
-- owner: approvals
create table exit_requests (
  organization_id uuid not null,
  id uuid not null,
  approval_id uuid not null,
  payload_sha256 text not null,
  created_at timestamptz not null,
  approved_at timestamptz,
  used_at timestamptz,
  primary key (organization_id, id)
);
create index exit_requests_of_payload on exit_requests (organization_id, payload_sha256);
create index exit_requests_old on exit_requests (created_at);

-- A rule without channels was stored with all channels that existed then; it covers the new ones too.
update sending_rules set approval_policy = (
  select json_agg(
    case when (rule -> 'channels') @> '["calls", "emails", "sms", "number_purchase", "forward_address"]'::jsonb
         then jsonb_set(rule, '{channels}', '["calls", "emails", "sms", "number_purchase", "forward_address", "webhooks", "tools", "mcp_servers", "providers"]')
         else rule end order by position)
    from jsonb_array_elements(approval_policy::jsonb) with ordinality as each (rule, position))
 where json_typeof(approval_policy) = 'array' and json_array_length(approval_policy) > 0;
