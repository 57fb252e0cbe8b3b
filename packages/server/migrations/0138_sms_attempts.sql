-- compatible-from: 0049
-- What explain shows of a text: the last attempts that did not succeed, with the code of the carrier. Null for most texts.
alter table sms_messages add column attempt_log json;

/* Adds an entry to a list and keeps the newest ones. */
create function append_newest(list json, entry json, most int) returns json language sql immutable parallel safe as $$
  select to_json(array(select item from (
           select item, n from json_array_elements(coalesce(list, '[]')) with ordinality as old (item, n)
           union all select entry, 1000000) entries
          order by n offset greatest(0, json_array_length(coalesce(list, '[]')) + 1 - most)))
$$;

-- The approvals of a record.
create index approvals_of_object on approvals (organization_id, object_id);
