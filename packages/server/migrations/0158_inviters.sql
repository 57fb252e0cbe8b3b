-- compatible-from: 0049
-- owner: organizations
-- An invitation ends with the right of who wrote it. Null: written before, by a member or by an operator.
alter table invitations add column invited_as text check (invited_as in ('member', 'operator'));
-- The key of an operator that wrote it.
alter table invitations add column invited_with_key uuid;
create index invitations_inviter on invitations (organization_id, invited_by) where accepted_at is null;
