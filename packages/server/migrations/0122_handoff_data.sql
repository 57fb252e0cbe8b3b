-- compatible-from: 0049
-- What the relay of a call sent when it ended the call. Null: nothing, or the call had no relay.
alter table calls add column handoff_data text;
