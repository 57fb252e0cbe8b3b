-- Email in: what a received message carries beyond the record, and what was passed on.

alter table emails
  -- The same message, delivered again or to a second address, has the same key.
  add column dedupe_key text,
  add column is_auto_reply boolean,
  -- How the message arrived: envelope, peer, and what the checks said. Forwarding needs it.
  add column arrival json;
create unique index emails_received_once on emails (organization_id, dedupe_key) where dedupe_key is not null;

-- One row for each message that a domain passes on; the rate of forwarding is counted here.
create table email_forwards (
  email_id uuid not null references emails on delete cascade,
  email_domain_id uuid not null,
  organization_id uuid not null,
  forwarded_at timestamptz not null,
  primary key (email_id, email_domain_id)
);
create index email_forwards_of_domain on email_forwards (email_domain_id, forwarded_at);

