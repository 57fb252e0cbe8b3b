-- compatible-from: 0049
-- Claims of a delivery that began and have not ended, as of jobs.
alter table webhook_deliveries add column starts int not null default 0;
