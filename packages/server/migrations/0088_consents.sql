-- compatible-from: 0049
-- contracts: sms_suppressions_source_check only widens: code of earlier releases writes values that stay allowed.
-- Who agreed to be contacted. Rows are never changed or deleted.
create table consents (
  organization_id uuid not null,
  id uuid not null,
  recipient text not null,
  recipient_key text not null,
  channels text[] not null,
  purposes text[] not null,
  basis text not null,
  source json not null,
  proof_attachment_id uuid,
  expires_at timestamptz,
  recorded_by text,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create index consents_of_recipient on consents (organization_id, recipient_key, id);

-- Who does not want to be contacted any more, one row per channel. It revokes the consents that are older than it; with
-- consent_id only that one. lifted_at is set when the person may be contacted again; the row stays.
create table consent_revocations (
  organization_id uuid not null,
  id uuid not null,
  recipient_key text not null,
  channel text not null check (channel in ('call', 'email', 'sms')),
  consent_id uuid,
  kind text not null check (kind in ('keyword', 'person_page', 'unsubscribe', 'agent', 'api', 'complaint')),
  item_id uuid,
  created_at timestamptz not null,
  lifted_at timestamptz,
  primary key (organization_id, id)
);
create index consent_revocations_of_recipient on consent_revocations (organization_id, recipient_key, channel);

-- Set with the first revocation that stops calls: until then calls need no query for it.
alter table sending_rules add column has_call_stops boolean not null default false;

alter table sms_suppressions drop constraint if exists sms_suppressions_source_check;
alter table sms_suppressions add constraint sms_suppressions_source_check
  check (source in ('keyword', 'carrier', 'api', 'revocation'));
