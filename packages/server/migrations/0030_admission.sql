-- The decision that was made when a record was handed over: JSON, written with the hand-over and read on request only, so
-- it is kept as text. The moment is that of the record (started_at, sent_at, failed_at).
alter table calls add column admission text;
alter table emails add column admission text;
alter table sms_messages add column admission text;
alter table email_forwards add column admission text;

-- An hour is exactly 3600 s: a row counts until an hour after the newest message in it. The rows are ten seconds long from
-- now on; processes of the version before write minutes without last_at, and read these rows as minutes.
alter table velocity_minutes add column last_at timestamptz;
