-- Scans the table under a lock that lets reads and writes go on.
alter table emails validate constraint emails_end_reason_check;
