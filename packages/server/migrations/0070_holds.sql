-- compatible-from: 0049
-- contracts: the checks are replaced by wider ones that accept every value the previous release writes
-- Messages and calls that wait before they are handed over. hold: why, and until when (JSON; null when nothing holds the
-- record). scheduled_at: the requested time. terms: what the rules need at the hand-over and the record does not have, such as
-- the purpose and the credential (JSON; null for the defaults). released_at: when the hold ended; time limits of the queue
-- start there.
alter table calls add column hold json, add column scheduled_at timestamptz, add column terms json,
  add column released_at timestamptz;
alter table emails add column hold json, add column scheduled_at timestamptz, add column terms json;
alter table sms_messages add column hold json, add column scheduled_at timestamptz, add column terms json,
  add column released_at timestamptz;

-- A message that waits can be canceled. Stored rows satisfy the wider checks, so they are added without a scan and validated
-- by the next migration.
alter table emails drop constraint if exists emails_status_check;
alter table emails add constraint emails_status_check check (status in
  ('queued', 'sent', 'failed', 'bounced', 'complained', 'canceled', 'received')) not valid;
alter table emails drop constraint if exists emails_end_reason_check;
alter table emails add constraint emails_end_reason_check check (end_reason in
  ('smtp_rejected', 'connection_failed', 'timeout', 'provider_error', 'hard_bounce', 'not_allowed', 'unconfirmed',
   'canceled', 'approval_rejected', 'approval_expired')) not valid;
alter table sms_messages drop constraint if exists sms_messages_status_check;
alter table sms_messages add constraint sms_messages_status_check check (status in
  ('queued', 'sent', 'delivered', 'undelivered', 'failed', 'canceled', 'received')) not valid;
