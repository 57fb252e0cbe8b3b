-- compatible-from: 0049
-- Claims of a text that began and have not ended, as of jobs.
alter table sms_messages add column starts int not null default 0;
