-- compatible-from: 0049
-- Second step: reads both tables once. Others read and write meanwhile.

alter table events validate constraint events_below_bound;
alter table webhook_deliveries validate constraint webhook_deliveries_below_bound;
