-- compatible-from: 0049
-- owner: set-aside-work
-- Work that is never run again by itself: its handler ended the process twice, or failed in every attempt.
create table set_aside_work (
  id uuid primary key,
  queue text not null check (queue in ('jobs', 'projections', 'texts', 'webhook_deliveries')),
  kind text not null,
  organization_id uuid,
  -- The job, record, text or delivery that was set aside.
  object_id uuid not null,
  reason text not null check (reason in ('process_ended', 'failed')),
  -- Runs that began and never ended.
  lost_runs int not null,
  -- Runs that ended with an error.
  failed_runs int not null,
  -- Without addresses and numbers.
  last_error text not null,
  -- Only of a job: what its handler needs to run again. An erasure replaces the person in it.
  payload jsonb,
  unique_key text,
  queued_at timestamptz not null,
  set_aside_at timestamptz not null,
  unique (queue, object_id)
);
create index set_aside_work_by_age on set_aside_work (set_aside_at);

-- Runs that began and have not ended. A run that ends takes its start back, so what stays was lost with a process or a lease.
alter table jobs add column starts int not null default 0;
alter table projection_queue add column starts int not null default 0;
create index projection_queue_lost on projection_queue (position) where starts > 0;

-- owner: projector
-- The rows that a process gives to the projections. It commits this before it begins, while it has the rows locked, and deletes it
-- with them: whoever locks one of the rows and still finds this knows that the process ended meanwhile.
create table projection_starts (
  id uuid primary key,
  positions bigint[] not null,
  started_at timestamptz not null
);
