-- compatible-from: 0049
-- owner: accounts
-- A new password ends all sessions of the person and all links to choose one, in the statement that stores it: whoever had one of
-- them may be the reason for the new password, and a process may be killed right after it. Every process notices the new version.
create function end_access_by_old_password() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('parley.restoring', true), '') = 'on' then
    return null;
  end if;
  delete from accounts.session where "userId" = new."userId";
  delete from accounts.verification where value = new."userId"::text;
  with raised as (update credential_changes set version = version + 1 returning version)
  insert into credential_change_log (version, subject, changed_at)
  select version, 'user:' || new."userId", clock_timestamp() from raised;
  return null;
end $$;

create trigger end_access_by_old_password after update of password on accounts.account
  for each row when (old.password is distinct from new.password) execute function end_access_by_old_password();
create trigger end_links_by_first_password after insert on accounts.account
  for each row when (new.password is not null) execute function end_access_by_old_password();
