-- Every row is asked for through what it belongs to, so that one index both finds it and keeps its order; each index
-- less is a part of every event, every step of an email and every pretended send that need not be written.
alter table events drop constraint events_pkey;
alter table events add constraint events_pkey primary key (organization_id, id);
drop index events_newest;

alter table email_events drop constraint email_events_pkey;
alter table email_events add constraint email_events_pkey primary key (email_id, dedupe_key);
drop index email_events_once;
drop index email_events_of;

alter table sandbox_outbox drop constraint sandbox_outbox_pkey;
alter table sandbox_outbox add constraint sandbox_outbox_pkey primary key (organization_id, id);
drop index sandbox_outbox_newest;
