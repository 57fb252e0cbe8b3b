-- compatible-from: 0049
-- owner: organizations
-- The person who created the organization by signing up. One person may create few of them, and their new recipients count
-- together. Null: created by an operator, or before this.
alter table organizations add column founded_by uuid;
create index organizations_founder on organizations (founded_by) where founded_by is not null;
