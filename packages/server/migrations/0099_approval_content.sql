-- compatible-from: 0049
-- When the content of a decided approval was erased; null: it is still there.
alter table approvals add column content_erased_at timestamptz;
create index approvals_with_content on approvals (decided_at) where status <> 'pending' and content_erased_at is null;
