-- Mail that the service itself writes to people, such as codes and links of accounts. The message is sealed because it holds a
-- secret, and removed once it was handed over or given up.
create table system_mails (
  id uuid primary key,
  -- Null where no organization is concerned.
  organization_id uuid,
  kind text not null,
  -- What the mail is about; the same thing is mailed once.
  reference text not null,
  message_sealed text,
  -- Counted before each hand-over, so that a process that dies in between cannot repeat it without end.
  attempts int not null default 0,
  created_at timestamptz not null,
  sent_at timestamptz,
  failed_at timestamptz,
  failure text
);
create unique index system_mails_once on system_mails (kind, reference);
create index system_mails_age on system_mails (created_at);
