-- compatible-from: 0049
-- What a person said to an agent, and in which conversation, as proof of a revocation. Null for others and for earlier ones.
alter table consent_revocations add column conversation_id uuid;
alter table consent_revocations add column quote text;
