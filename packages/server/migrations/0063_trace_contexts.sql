-- compatible-from: 0049
-- The trace (W3C traceparent) of the request that created a record, written only while tracing is on. Work that another
-- process does later continues it. Rows are deleted after some days.
create table trace_contexts (
  organization_id uuid not null,
  resource_id uuid not null,
  traceparent text not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, resource_id)
);
create index trace_contexts_by_age on trace_contexts (created_at);

-- The trace that an event belongs to; its webhook deliveries pass it on.
alter table events add column traceparent text;
