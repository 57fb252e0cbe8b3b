-- compatible-from: 0049
-- Who set what the rules read. null: nobody knows, so it does not count as set by a person.

-- owner: contacts
-- A person set time_zone; a zone that a program set only narrows quiet hours.
alter table contacts add column is_zone_by_person boolean;

-- owner: email-domains
-- A person had the domain verified: its addresses need no approval, and mail may be forwarded to them without asking.
alter table email_domains add column is_verified_by_person boolean;
