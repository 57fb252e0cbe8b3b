-- compatible-from: 0049
-- The requests of the last days. Ids start with their time, so the partitions are ranges of time; the service divides the
-- last one and drops old ones (platform/db/partitions.ts). Clients may choose the request id, so it need not be unique.
create table request_log (
  organization_id uuid not null,
  request_id text not null,
  id uuid not null,
  operation text not null,
  method text not null,
  path text not null,
  status integer not null,
  code text,
  credential_kind text not null,
  credential_id text not null,
  object_id uuid,
  duration_us bigint not null,
  constraint request_log_pkey primary key (organization_id, id)
) partition by range (id);
create index request_log_by_request_id on request_log (organization_id, request_id, id);
create index request_log_of_object on request_log (organization_id, object_id, id) where object_id is not null;

do $$
declare
  bound text;
begin
  select substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7000-8000-000000000000' into bound
    from lpad(to_hex((extract(epoch from date_trunc('day', now(), 'UTC')) * 1000)::bigint), 12, '0') as hex;
  execute format('create table partitions.request_log_first partition of request_log for values from (minvalue) to (%L)', bound);
  execute format('create table partitions.request_log_last partition of request_log for values from (%L) to (maxvalue)', bound);
end $$;
