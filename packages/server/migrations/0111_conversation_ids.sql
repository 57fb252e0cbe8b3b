-- compatible-from: 0049
-- A rebuild counts conversations again in the order of their ids.
create index conversations_ids on conversations (id);
