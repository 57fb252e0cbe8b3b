-- compatible-from: 0049
-- The search index: one document for each email, text, call and contact. Filters (organization, sender, recipient, kind) are
-- words of the document too, so that one index serves all organizations and all filters. Ids start with their time, so the
-- partitions are ranges of time; the service divides the last one (platform/db/partitions.ts).
create table search_documents (
  organization_id uuid not null,
  id uuid not null,
  noun text not null,
  words tsvector not null,
  constraint search_documents_pkey primary key (organization_id, id)
) partition by range (id);
-- The projector inserts many documents at once. A short pending list keeps searches fast, which read it from start to end.
create index search_documents_words on search_documents using gin (words) with (fastupdate = on, gin_pending_list_limit = 1024);

do $$
declare
  bound text;
begin
  select substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7000-8000-000000000000' into bound
    from lpad(to_hex((extract(epoch from date_trunc('day', now(), 'UTC')) * 1000)::bigint), 12, '0') as hex;
  execute format('create table partitions.search_documents_first partition of search_documents for values from (minvalue) to (%L)', bound);
  execute format('create table partitions.search_documents_last partition of search_documents for values from (%L) to (maxvalue)', bound);
end $$;
