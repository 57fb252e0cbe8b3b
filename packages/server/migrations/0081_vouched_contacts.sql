-- compatible-from: 0049
-- Whether a person created or confirmed a contact. Contacts from before count as vouched, because nobody could know the rule.
-- Null, from a process of the previous release, counts as false.
alter table contacts add column is_vouched boolean default true;
alter table contacts alter column is_vouched set default false;
