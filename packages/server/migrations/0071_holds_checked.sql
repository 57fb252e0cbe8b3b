-- compatible-from: 0049
-- Scans the tables under a lock that lets reads and writes go on.
alter table emails validate constraint emails_status_check;
alter table emails validate constraint emails_end_reason_check;
alter table sms_messages validate constraint sms_messages_status_check;
