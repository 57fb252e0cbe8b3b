-- compatible-from: 0049
-- Any process finds the leader of a call by the token of the carrier's audio socket.
create unique index calls_media_token on calls (media_token_hash) where media_token_hash is not null;
-- The processes that run calls and that others can reach. A process without capacity passes an inbound call on to one of them.
create table call_processes (
  id uuid primary key,
  url text not null,
  free_calls integer not null,
  seen_at timestamptz not null default now()
);
