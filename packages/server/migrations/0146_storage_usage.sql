-- compatible-from: 0049
-- How many bytes each organization has in the object storage. Triggers count in the transaction that changes a record, so that
-- the numbers are exact, also while processes of the previous release run and whatever deletes a record.

-- null: PARLEY_STORAGE_QUOTA_MB.
alter table organizations add column storage_bytes_max bigint;

-- The sum over the slots counts. Each connection has a slot of its own, so that transactions do not wait for each other.
create table storage_usage (
  organization_id uuid not null,
  kind text not null,
  slot smallint not null,
  bytes bigint not null,
  primary key (organization_id, kind, slot)
) with (fillfactor = 50);

-- One row after the records from before this migration were counted.
create table storage_count (
  counted_at timestamptz not null
);

-- A restore loads the table of the numbers too.
create function count_stored_bytes(counted_organization uuid, counted_kind text, added bigint) returns void language sql as $$
  insert into storage_usage (organization_id, kind, slot, bytes)
  select counted_organization, counted_kind, pg_backend_pid() % 1000, added
   where added <> 0 and coalesce(current_setting('parley.restoring', true), '') <> 'on'
  on conflict (organization_id, kind, slot) do update set bytes = storage_usage.bytes + excluded.bytes
$$;

create function count_raw_message() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform count_stored_bytes(old.organization_id, 'raw_messages', -old.raw_bytes);
  elsif tg_op = 'INSERT' then
    perform count_stored_bytes(new.organization_id, 'raw_messages', new.raw_bytes);
  else
    perform count_stored_bytes(new.organization_id, 'raw_messages', coalesce(new.raw_bytes, 0) - coalesce(old.raw_bytes, 0));
  end if;
  return null;
end $$;
create trigger count_new after insert on emails
  for each row when (new.raw_bytes is not null) execute function count_raw_message();
create trigger count_changed after update of raw_bytes on emails
  for each row when (old.raw_bytes is distinct from new.raw_bytes) execute function count_raw_message();
create trigger count_deleted after delete on emails
  for each row when (old.raw_bytes is not null) execute function count_raw_message();

create function count_recording() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform count_stored_bytes(old.organization_id, 'recordings', -old.recording_bytes);
  else
    perform count_stored_bytes(new.organization_id, 'recordings', coalesce(new.recording_bytes, 0) - coalesce(old.recording_bytes, 0));
  end if;
  return null;
end $$;
create trigger count_changed after update of recording_bytes on calls
  for each row when (old.recording_bytes is distinct from new.recording_bytes) execute function count_recording();
create trigger count_deleted after delete on calls
  for each row when (old.recording_bytes is not null) execute function count_recording();

create function count_attachment() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform count_stored_bytes(old.organization_id, 'attachments', -old.size_bytes);
  else
    perform count_stored_bytes(new.organization_id, 'attachments', new.size_bytes);
  end if;
  return null;
end $$;
create trigger count_new after insert on email_attachments for each row execute function count_attachment();
create trigger count_deleted after delete on email_attachments for each row execute function count_attachment();

-- A row without storage_key has no object any more.
create function count_document() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform count_stored_bytes(new.organization_id, 'documents', new.size_bytes);
  else
    perform count_stored_bytes(old.organization_id, 'documents', -old.size_bytes);
  end if;
  return null;
end $$;
create trigger count_new after insert on verification_documents
  for each row when (new.storage_key is not null) execute function count_document();
create trigger count_changed after update of storage_key on verification_documents
  for each row when (old.storage_key is not null and new.storage_key is null) execute function count_document();
create trigger count_deleted after delete on verification_documents
  for each row when (old.storage_key is not null) execute function count_document();
