-- compatible-from: 0049
-- Numbers and addresses with which something was exchanged, for the limit of new recipients. Filled from the records when an
-- organization with this limit contacts somebody who is not in it; filled_until says up to which time.
create table known_parties (
  organization_id uuid not null,
  party text not null,
  last_at timestamptz not null,
  primary key (organization_id, party)
);
create index known_parties_by_age on known_parties (last_at);
create table known_party_fills (
  organization_id uuid primary key,
  filled_until timestamptz not null
);

-- How many new recipients were contacted on a day (UTC).
create table new_recipient_uses (
  organization_id uuid not null,
  channel text not null,
  day date not null,
  used int not null,
  primary key (organization_id, channel, day)
);

-- How many messages and calls a person got on a day (UTC) since they were last heard from.
create table person_uses (
  organization_id uuid not null,
  channel text not null,
  party text not null,
  day date not null,
  used int not null,
  last_at timestamptz not null,
  primary key (organization_id, channel, party, day)
);
create index person_uses_by_age on person_uses (day);
