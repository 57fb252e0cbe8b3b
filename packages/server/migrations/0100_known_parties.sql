-- compatible-from: 0049
-- contracts: contacted_parties and contact_readers were never part of a release; known_parties has the same content
-- One list of numbers and addresses with which an organization exchanged something. last_at: when something was exchanged.
-- counted_at: when the limit of new recipients counted the party, maybe before anything is sent. It is filled again from the
-- records.
drop table contacted_parties;
drop table contact_readers;
delete from known_parties;
delete from known_party_fills;
alter table known_parties alter column last_at drop not null, add column counted_at timestamptz;
