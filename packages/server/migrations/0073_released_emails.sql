-- compatible-from: 0049
-- released_at: when the hold of an email ended, or when it would have ended without the kill switch. The Date field of the
-- message and the time limit of the kill switch start there. Null for an email that never waited.
alter table emails add column released_at timestamptz;
