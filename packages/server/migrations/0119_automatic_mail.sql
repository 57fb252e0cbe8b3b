-- compatible-from: 0049
-- Whether a program sent a received email. Null for emails of earlier releases, whose automatic replies is_auto_reply names.
alter table emails add column is_automatic boolean;
