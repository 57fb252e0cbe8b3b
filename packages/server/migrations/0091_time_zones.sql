-- compatible-from: 0049
-- Where a contact is, as the IANA name of a time zone; null when it is not known.
alter table contacts add column time_zone text;
