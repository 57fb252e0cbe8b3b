-- A delivery is always asked for through its subscription: one index both finds it and lists the newest, and every
-- delivery, which is written twice, is entered three times into an index instead of five.
alter table webhook_deliveries drop constraint webhook_deliveries_pkey;
alter table webhook_deliveries add constraint webhook_deliveries_pkey primary key (subscription_id, id);
drop index webhook_deliveries_newest;
