-- Which key seals the secrets of this database, by name (a hash), so that a process with another is told so.
create table master_key (
  only_row boolean primary key default true check (only_row),
  key_id text not null,
  -- The key itself, only where the operator gave none.
  kept_key text
);
