-- compatible-from: 0049
-- The process that leads a call. Only it renews the lease and writes about the call; the sweeper takes calls over by this column.
-- Null for calls of earlier releases, which write without it.
alter table calls add column leader_id uuid;
-- Where other processes reach the leader, and the hash of the token that the carrier's audio socket presents.
alter table calls add column leader_url text;
alter table calls add column media_token_hash bytea;
