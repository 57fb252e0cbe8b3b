-- compatible-from: 0049
-- Credentials for one conversation; only hashes of them are stored. issuer_kind, issuer_id: the credential that created it and
-- that it ends with. max_count, used_count: messages that it may send in all, and has sent.
create table conversation_tokens (
  organization_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  hash text not null,
  may text[] not null,
  max_count int,
  used_count int not null default 0,
  issuer_kind text not null,
  issuer_id text not null,
  user_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (organization_id, id)
);
create unique index conversation_tokens_hash on conversation_tokens (hash);
create index conversation_tokens_by_conversation on conversation_tokens (organization_id, conversation_id);
create index conversation_tokens_by_expiry on conversation_tokens (expires_at);
