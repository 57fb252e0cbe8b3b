-- When the key of an approved device login ends, as the person saw it on the page. Null for logins approved before this.
alter table device_logins add column key_expires_at timestamptz;
-- Ours: when the client last got a token. Clients that register themselves and are not used are removed.
alter table accounts."oauthClient" add column last_used_at timestamptz;
