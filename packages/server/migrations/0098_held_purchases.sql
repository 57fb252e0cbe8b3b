-- compatible-from: 0049
-- Purchases of numbers that wait for a person. hold and terms as in 0070.
alter table numbers add column hold json, add column terms json;

-- New forward addresses that wait for a person: nothing is mailed or forwarded to them until somebody approves.
create table forward_holds (
  organization_id uuid not null,
  id uuid not null,
  email_domain_id uuid not null,
  address text not null,
  address_key text not null,
  approval_id uuid not null,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create unique index forward_holds_of_domain on forward_holds (email_domain_id, address_key);
