-- compatible-from: 0049
-- A program added the entry, and nobody refused since: programs may delete it again. null: a person, the recipient or a carrier.

-- owner: sms
alter table sms_suppressions add column is_by_program boolean;

-- owner: email-suppressions
alter table email_suppressions add column is_by_program boolean;
