-- compatible-from: 0049
-- Addresses and numbers with which messages or calls were exchanged, for rules about new recipients. A job fills it from the
-- records, only for organizations with such a rule. contact_readers: the last record that the job read, per kind of record.
create table contacted_parties (
  organization_id uuid not null,
  party text not null,
  last_at timestamptz not null,
  primary key (organization_id, party)
);
create table contact_readers (
  organization_id uuid not null,
  noun text not null,
  last_id uuid not null,
  primary key (organization_id, noun)
);
