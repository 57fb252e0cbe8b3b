-- How much an organization keeps in the object storage is summed up from its records. Null for what was stored before this
-- and for what has no object.
alter table emails add column raw_bytes bigint;
alter table calls add column recording_bytes bigint;
