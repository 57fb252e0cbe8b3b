-- What links and return paths are signed with, sealed like every secret: it outlives the master key that seals it.
alter table master_key add column signing_key_sealed text;
