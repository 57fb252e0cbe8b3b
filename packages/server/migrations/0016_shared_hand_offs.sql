-- The events of one commit that go to the same subscriptions share a hand-off: a row for each would cost as much as the
-- event's own.
alter table webhook_hand_offs rename column event_id to id;
alter table webhook_hand_offs add column event_ids uuid[];
update webhook_hand_offs set event_ids = array[id];
alter table webhook_hand_offs alter column event_ids set not null;
-- Identifiers hardly shrink, and the row is gone before anybody reads it: packing them would be work for nothing.
alter table webhook_hand_offs alter column event_ids set storage external;
