-- compatible-from: 0049
-- After how many days an organization deletes what; null: the default of the service. And how far the deletion is.
create table retention (
  organization_id uuid primary key,
  messages_days int,
  recordings_days int,
  records_days int,
  events_days int,
  quarantine_days int,
  requests_days int,
  -- Of the current run; null when none is running.
  step text,
  -- The last id that the step has handled in this run.
  reached uuid,
  -- For each step, an id up to which all rows are handled. The next run begins there.
  positions json not null default '{}',
  counts json not null default '{}',
  started_at timestamptz,
  done_at timestamptz,
  failed_at timestamptz
);

-- When retention or an erasure removed the content.
alter table emails add column content_erased_at timestamptz;
alter table sms_messages add column content_erased_at timestamptz;
alter table calls add column content_erased_at timestamptz;
