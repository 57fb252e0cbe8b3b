-- Until when a number is paid; null where nothing was ever charged for it.
alter table numbers add column charged_until timestamptz;
create index numbers_to_charge on numbers (charged_until) where provisioning_state = 'active';
