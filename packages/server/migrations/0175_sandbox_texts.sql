-- compatible-from: 0049
-- owner: sandbox-outbox
-- The texts that the sandbox carrier was given: what a real carrier knows about its messages. Deleted after a few days.
create table sandbox_texts (
  id uuid primary key,
  handed_at timestamptz not null
);
create index sandbox_texts_by_age on sandbox_texts (handed_at);
