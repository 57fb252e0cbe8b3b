-- compatible-from: 0049
-- Third step: the existing tables become the first partitions of new partitioned tables of the same names. Only the catalog
-- changes, so the lock is short. The first partition takes all ids below the bound, the last one all ids above, so that no
-- insert fails; the service divides the last one and drops old ones (platform/db/partitions.ts).
-- contracts: renames nothing that 0049 uses: the names events and webhook_deliveries stay, with the same columns and keys

create schema partitions;

alter table events set schema partitions;
alter table partitions.events rename to events_first;
create table events (like partitions.events_first including defaults) partition by range (id);
alter table events add constraint events_pkey primary key (organization_id, id);
create index events_in_order on events (organization_id, position, id);
create index events_of_resource on events (organization_id, resource_id, id);
create index events_of_type on events (organization_id, type, id);

alter table webhook_deliveries set schema partitions;
alter table partitions.webhook_deliveries rename to webhook_deliveries_first;
create table webhook_deliveries (like partitions.webhook_deliveries_first including defaults) partition by range (id);
alter table webhook_deliveries add constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'dead'));
alter table webhook_deliveries add constraint webhook_deliveries_pkey primary key (subscription_id, id);
create index webhook_deliveries_dead on webhook_deliveries (subscription_id, id) where status = 'dead';
create index webhook_deliveries_manual on webhook_deliveries (claimable_at) where is_manual;
create index webhook_deliveries_waiting on webhook_deliveries (subscription_id, claimable_at)
  where status = 'pending' and not is_manual;

do $$
declare
  parent text;
  bound text;
begin
  foreach parent in array array['events', 'webhook_deliveries'] loop
    select substring(pg_get_constraintdef(oid) from '''([0-9a-f-]{36})''') into strict bound
      from pg_constraint where conname = parent || '_below_bound';
    execute format('alter table %I attach partition partitions.%I for values from (minvalue) to (%L)',
                   parent, parent || '_first', bound);
    execute format('alter table partitions.%I drop constraint %I', parent || '_first', parent || '_below_bound');
    execute format('create table partitions.%I partition of %I for values from (%L) to (maxvalue)',
                   parent || '_last', parent, bound);
  end loop;
end $$;
