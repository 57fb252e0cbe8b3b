-- compatible-from: 0049
-- Registration with carriers: kinds, the carrier's requirements, the steps of a submission, documents, and the timeline.
-- Columns that the previous release does not write are null there: kind null is a number verification, attempt null is 1.
alter table verifications add column kind text
  check (kind in ('number', 'us_brand', 'us_campaign', 'toll_free'));
alter table verifications add column use_case text;
alter table verifications add column number_id uuid;
alter table verifications add column brand_verification_id uuid;
alter table verifications add column attempt integer;
-- Address, registration number and answers, sealed. They replace the columns address and registration_number.
alter table verifications add column details_sealed text;
-- The keys of the answers in details_sealed, for the checklist.
alter table verifications add column answered text[];
-- What the carrier asked for when it was asked last.
alter table verifications add column requirement_set json;
alter table verifications add column progress json;
-- Set while a request to the carrier may have been sent and its answer is not stored.
alter table verifications add column step_began_at timestamptz;
alter table verifications add column problems json;
alter table verifications add column waits_for text;
alter table verifications add column submit_requested_at timestamptz;
alter table verifications add column next_check_at timestamptz;
alter table verifications add column editable_until timestamptz;
alter table verifications add column expires_at timestamptz;
-- How many days before the end the last reminder was sent.
alter table verifications add column reminded_days integer;
alter table verifications add column address_reference text;
alter table verifications add column service_reference text;

create table verification_documents (
  id uuid primary key,
  organization_id uuid not null,
  -- Not a foreign key: when the verification is gone, the row is still needed to delete the object.
  verification_id uuid not null,
  attempt integer not null,
  requirement text not null,
  document_type text not null,
  content_type text not null,
  size_bytes integer not null,
  -- Null after the object was deleted.
  storage_key text,
  -- The key of the content and the fields of the document. Null after the hand-over: the object cannot be read any more.
  sealed_key text,
  created_at timestamptz not null,
  -- Null while the object is being stored.
  uploaded_at timestamptz,
  handed_over_at timestamptz,
  deleted_at timestamptz
);
create index verification_documents_of on verification_documents (organization_id, verification_id, id);
create index verification_documents_stored on verification_documents (created_at) where storage_key is not null;

create table verification_events (
  id uuid primary key,
  organization_id uuid not null,
  verification_id uuid not null references verifications (id) on delete cascade,
  kind text not null,
  attempt integer not null,
  problems json not null,
  created_at timestamptz not null
);
create index verification_events_newest on verification_events (organization_id, verification_id, id);

-- The messaging service of an organization at a carrier.
create table messaging_services (
  organization_id uuid not null,
  provider text not null,
  provider_service_id text not null,
  created_at timestamptz not null,
  primary key (organization_id, provider)
);

alter table numbers add column sms_registration json;
alter table numbers add column provisioning_detail text;
alter table numbers add column address_reference text;
alter table numbers add column campaign_verification_id uuid;
-- When the carrier was asked last about the registration for texts.
alter table numbers add column sms_checked_at timestamptz;

-- Drafts of the previous release were always meant to be submitted.
update verifications set submit_requested_at = created_at where state = 'draft';
