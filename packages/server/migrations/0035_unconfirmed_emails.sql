-- Emails of which nobody knows whether the transport took them. Every stored row satisfies the wider check, so it is added
-- without a scan under the lock, and validated by the next migration. not_allowed: emails that a rule stopped.
alter table emails drop constraint if exists emails_end_reason_check;
alter table emails add constraint emails_end_reason_check check (end_reason in
  ('smtp_rejected', 'connection_failed', 'timeout', 'provider_error', 'hard_bounce', 'not_allowed', 'unconfirmed')) not valid;
