-- compatible-from: 0049
-- Lists of the quarantine, its expiry, and waits for mail that is released.
create index emails_in_quarantine on emails (organization_id, id) where quarantine is not null;
create index emails_released on emails (organization_id, released_at) where direction = 'inbound' and released_at is not null;
