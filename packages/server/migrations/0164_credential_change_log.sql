-- compatible-from: 0049
-- What each version of credential_changes is about, so that processes forget only the callers whose rights changed. A version
-- without a row is a change of everything. Rows are deleted after an hour.
-- owner: identity
create table credential_change_log (
  version bigint primary key,
  subject text not null,
  changed_at timestamptz not null
);
create index credential_change_log_by_time on credential_change_log (changed_at);
