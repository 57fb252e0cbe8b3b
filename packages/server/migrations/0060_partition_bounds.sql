-- compatible-from: 0049
-- First of three steps that partition events and webhook_deliveries by time. Adds a constraint that all ids are below a bound
-- in the near future, without reading the tables. The next step checks it for existing rows while others read and write;
-- with it, the third step needs no scan under its lock. Ids start with their time, so a bound on ids is a bound on time.

create function pg_temp.first_id_at(moment timestamptz) returns uuid language sql as $$
  select (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7000-8000-000000000000')::uuid
    from lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') as hex
$$;

create function pg_temp.moment_of(id uuid) returns timestamptz language sql as $$
  select to_timestamp(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0)
$$;

-- An empty table gets the current day. A filled one gets at least two days from now, so that processes of the previous
-- version keep writing to the table that they know, with the constraint names that they know, until they are replaced.
do $$
declare
  newest uuid;
  bound uuid;
begin
  with recursive step as (
    (select organization_id, id from events order by organization_id desc, id desc limit 1)
    union all
    select next.* from step, lateral (
      select organization_id, id from events where organization_id < step.organization_id
       order by organization_id desc, id desc limit 1) next
  )
  select id into newest from step order by id desc limit 1;
  bound := pg_temp.first_id_at(case when newest is null then date_trunc('day', now(), 'UTC')
    else date_trunc('day', greatest(now(), pg_temp.moment_of(newest)) + interval '3 days', 'UTC') end);
  execute format('alter table events add constraint events_below_bound check (id < %L) not valid', bound);
end $$;

do $$
declare
  newest uuid;
  bound uuid;
begin
  with recursive step as (
    (select subscription_id, id from webhook_deliveries order by subscription_id desc, id desc limit 1)
    union all
    select next.* from step, lateral (
      select subscription_id, id from webhook_deliveries where subscription_id < step.subscription_id
       order by subscription_id desc, id desc limit 1) next
  )
  select id into newest from step order by id desc limit 1;
  bound := pg_temp.first_id_at(case when newest is null then date_trunc('day', now(), 'UTC')
    else date_trunc('day', greatest(now(), pg_temp.moment_of(newest)) + interval '3 days', 'UTC') end);
  execute format('alter table webhook_deliveries add constraint webhook_deliveries_below_bound check (id < %L) not valid', bound);
end $$;

drop function pg_temp.first_id_at(timestamptz);
drop function pg_temp.moment_of(uuid);
