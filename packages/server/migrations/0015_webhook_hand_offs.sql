-- An event on its way to those who asked for it, in the hands of the process that made it. Each delivery gets its row when
-- its first attempt ended; a hand-off that outlives its time is what a process left behind.
create table webhook_hand_offs (
  held_until timestamptz not null,
  event_id uuid not null,
  organization_id uuid not null,
  subscription_ids uuid[] not null,
  primary key (held_until, event_id)
);
