-- compatible-from: 0191
-- contracts: the name webhook_hand_offs is that of a view from now on, which processes of the previous release write through
-- Event leases have one name in code, glossary and database. Drop the view one release later.
alter table webhook_hand_offs rename to event_leases;
alter index webhook_hand_offs_pkey rename to event_leases_pkey;
create view webhook_hand_offs as select * from event_leases;
