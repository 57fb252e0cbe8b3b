-- compatible-from: 0049
-- A key that another key created has that key as its parent, and is deleted with it. The ancestors, nearest first, never change:
-- they are stored beside the parent, so that authentication needs no recursion.
-- owner: identity
alter table api_keys add column parent_key_id uuid references api_keys (id) on delete cascade;
alter table api_keys add column ancestor_key_ids uuid[];
create index api_keys_children on api_keys (parent_key_id) where parent_key_id is not null;

-- The credentials of the program that created an agent, as logs name them: what the agent sends counts for them too.
-- owner: agents
alter table agents add column created_by json;
