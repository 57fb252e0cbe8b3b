-- Managed mode: accounts, organizations and their members, issued keys, device logins, limits, funds, provider
-- settings, and the log of who changed what.

-- These tables are shaped as better-auth wants them, and stand apart for that reason. A test holds them equal.
create schema accounts;

create table accounts.users (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  email text not null unique,
  email_verified boolean not null,
  image text,
  created_at timestamptz not null default current_timestamp,
  updated_at timestamptz not null default current_timestamp,
  -- Ours: may use the administration paths.
  superadmin boolean not null default false,
  -- Ours: how the configured outside issuer of JWTs calls this person.
  external_subject text unique
);

create table accounts.session (
  id uuid primary key default gen_random_uuid(),
  "expiresAt" timestamptz not null,
  token text not null unique,
  "createdAt" timestamptz not null default current_timestamp,
  "updatedAt" timestamptz not null,
  "ipAddress" text,
  "userAgent" text,
  "userId" uuid not null references accounts.users (id) on delete cascade,
  -- Ours: the organization the person last chose.
  organization_id text
);
create index "session_userId_idx" on accounts.session ("userId");

create table accounts.account (
  id uuid primary key default gen_random_uuid(),
  "accountId" text not null,
  "providerId" text not null,
  "userId" uuid not null references accounts.users (id) on delete cascade,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" timestamptz,
  "refreshTokenExpiresAt" timestamptz,
  scope text,
  password text,
  "createdAt" timestamptz not null default current_timestamp,
  "updatedAt" timestamptz not null
);
create index "account_userId_idx" on accounts.account ("userId");

create table accounts.verification (
  id uuid primary key default gen_random_uuid(),
  identifier text not null,
  value text not null,
  "expiresAt" timestamptz not null,
  "createdAt" timestamptz not null default current_timestamp,
  "updatedAt" timestamptz not null default current_timestamp
);
create index "verification_identifier_idx" on accounts.verification (identifier);

create table accounts.jwks (
  id uuid primary key default gen_random_uuid(),
  "publicKey" text not null,
  "privateKey" text not null,
  "createdAt" timestamptz not null,
  "expiresAt" timestamptz,
  alg text,
  crv text
);

create table accounts."oauthClient" (
  id uuid primary key default gen_random_uuid(),
  "clientId" text not null unique,
  "clientSecret" text,
  "clientDiscoveryId" text,
  disabled boolean,
  "skipConsent" boolean,
  "enableEndSession" boolean,
  "subjectType" text,
  scopes jsonb,
  "clientCredentialsScopes" jsonb,
  "userId" uuid references accounts.users (id) on delete cascade,
  "createdAt" timestamptz,
  "updatedAt" timestamptz,
  name text,
  uri text,
  icon text,
  contacts jsonb,
  tos text,
  policy text,
  "softwareId" text,
  "softwareVersion" text,
  "softwareStatement" text,
  "redirectUris" jsonb not null,
  "postLogoutRedirectUris" jsonb,
  "backchannelLogoutUri" text,
  "backchannelLogoutSessionRequired" boolean,
  "tokenEndpointAuthMethod" text,
  "applicationType" text,
  jwks text,
  "jwksUri" text,
  "grantTypes" jsonb,
  "responseTypes" jsonb,
  "requirePKCE" boolean,
  "dpopBoundAccessTokens" boolean,
  "referenceId" text,
  metadata jsonb
);
create index "oauthClient_userId_idx" on accounts."oauthClient" ("userId");

create table accounts."oauthResource" (
  id uuid primary key default gen_random_uuid(),
  identifier text not null unique,
  name text not null,
  "accessTokenTtl" integer,
  "refreshTokenTtl" integer,
  "signingAlgorithm" text,
  "signingKeyId" text,
  "allowedScopes" jsonb,
  "customClaims" jsonb,
  "dpopBoundAccessTokensRequired" boolean,
  disabled boolean,
  "createdAt" timestamptz,
  "updatedAt" timestamptz,
  "policyVersion" integer,
  metadata jsonb
);

create table accounts."oauthClientResource" (
  id uuid primary key default gen_random_uuid(),
  "clientId" text not null references accounts."oauthClient" ("clientId") on delete cascade,
  "resourceId" text not null references accounts."oauthResource" (identifier) on delete cascade,
  metadata jsonb,
  "createdAt" timestamptz
);
create index "oauthClientResource_clientId_idx" on accounts."oauthClientResource" ("clientId");
create index "oauthClientResource_resourceId_idx" on accounts."oauthClientResource" ("resourceId");
create unique index "oauthClientResource_clientId_resourceId_uidx"
  on accounts."oauthClientResource" ("clientId", "resourceId");

create table accounts."oauthRefreshToken" (
  id uuid primary key default gen_random_uuid(),
  token text not null unique,
  "clientId" text not null references accounts."oauthClient" ("clientId") on delete cascade,
  "sessionId" uuid references accounts.session (id) on delete set null,
  "userId" uuid not null references accounts.users (id) on delete cascade,
  "referenceId" text,
  "authorizationCodeId" text,
  resources jsonb,
  "requestedUserInfoClaims" jsonb,
  "expiresAt" timestamptz not null,
  "createdAt" timestamptz not null,
  revoked timestamptz,
  "rotatedAt" timestamptz,
  "rotationReplayResponse" text,
  "rotationReplayExpiresAt" timestamptz,
  "authTime" timestamptz,
  confirmation jsonb,
  scopes jsonb not null
);
create index "oauthRefreshToken_clientId_idx" on accounts."oauthRefreshToken" ("clientId");
create index "oauthRefreshToken_sessionId_idx" on accounts."oauthRefreshToken" ("sessionId");
create index "oauthRefreshToken_userId_idx" on accounts."oauthRefreshToken" ("userId");
create index "oauthRefreshToken_authorizationCodeId_idx" on accounts."oauthRefreshToken" ("authorizationCodeId");

create table accounts."oauthAccessToken" (
  id uuid primary key default gen_random_uuid(),
  token text not null unique,
  "clientId" text not null references accounts."oauthClient" ("clientId") on delete cascade,
  "sessionId" uuid references accounts.session (id) on delete set null,
  "userId" uuid references accounts.users (id) on delete cascade,
  "referenceId" text,
  "authorizationCodeId" text,
  resources jsonb,
  "requestedUserInfoClaims" jsonb,
  "refreshId" uuid references accounts."oauthRefreshToken" (id) on delete cascade,
  "expiresAt" timestamptz not null,
  "createdAt" timestamptz not null,
  revoked timestamptz,
  confirmation jsonb,
  scopes jsonb not null
);
create index "oauthAccessToken_clientId_idx" on accounts."oauthAccessToken" ("clientId");
create index "oauthAccessToken_sessionId_idx" on accounts."oauthAccessToken" ("sessionId");
create index "oauthAccessToken_userId_idx" on accounts."oauthAccessToken" ("userId");
create index "oauthAccessToken_authorizationCodeId_idx" on accounts."oauthAccessToken" ("authorizationCodeId");
create index "oauthAccessToken_refreshId_idx" on accounts."oauthAccessToken" ("refreshId");

create table accounts."oauthConsent" (
  id uuid primary key default gen_random_uuid(),
  "clientId" text not null references accounts."oauthClient" ("clientId") on delete cascade,
  "userId" uuid references accounts.users (id) on delete cascade,
  "referenceId" text,
  resources jsonb,
  "requestedUserInfoClaims" jsonb,
  scopes jsonb not null,
  "createdAt" timestamptz not null,
  "updatedAt" timestamptz not null
);
create index "oauthConsent_clientId_idx" on accounts."oauthConsent" ("clientId");
create index "oauthConsent_userId_idx" on accounts."oauthConsent" ("userId");

create table accounts."oauthClientAssertion" (
  id uuid primary key default gen_random_uuid(),
  "expiresAt" timestamptz not null
);

-- From here on the tables are ours.

create table organizations (
  id uuid primary key,
  name text not null,
  origin text not null check (origin in ('human', 'agent')),
  -- Null: the default of the origin.
  calls_per_hour int,
  emails_per_hour int,
  sms_per_hour int,
  -- A millionth of the currency unit; the sum of the organization's ledger entries.
  balance_micros bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
-- The organization of the shared key.
insert into organizations values
  ('00000000-0000-0000-0000-000000000000', 'Shared key', 'human', null, null, null, 0, now(), now());

create table members (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  user_id uuid not null references accounts.users (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  contact_id uuid references contacts (id) on delete set null,
  created_at timestamptz not null
);
create unique index members_of_organization on members (organization_id, user_id);
create index members_of_user on members (user_id);
create index members_newest on members (organization_id, id desc);

create table invitations (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  token_hash text not null unique,
  invited_by uuid references accounts.users (id) on delete set null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz
);
create index invitations_newest on invitations (organization_id, id desc);

-- A key outlives its owner's membership: it is then refused with another answer than a key nobody issued.
create table api_keys (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  user_id uuid not null references accounts.users (id) on delete cascade,
  name text not null,
  start text not null,
  -- SHA-256 of the whole key in base64url.
  hash text not null unique,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_newest on api_keys (organization_id, id desc);

-- Raised with every change that takes a right away; processes compare it before they trust what they remember.
create table credential_changes (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);
insert into credential_changes values (true, 0);

create table device_logins (
  id uuid primary key,
  device_code_hash text not null unique,
  user_code text not null unique,
  client_id text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_polled_at timestamptz,
  interval_seconds int not null,
  user_id uuid references accounts.users (id) on delete cascade,
  organization_id uuid references organizations (id),
  approved_at timestamptz,
  denied_at timestamptz,
  used_at timestamptz
);
create index device_logins_age on device_logins (expires_at);

create table kill_switches (
  channel text primary key check (channel in ('calls', 'emails', 'sms')),
  stopped boolean not null,
  changed_at timestamptz not null
);
insert into kill_switches values ('calls', false, now()), ('emails', false, now()), ('sms', false, now());

-- How much an organization sent in each minute of the last hour.
create table velocity_minutes (
  organization_id uuid not null,
  channel text not null,
  minute timestamptz not null,
  count int not null,
  primary key (organization_id, channel, minute)
);
create index velocity_minutes_age on velocity_minutes (minute);

create table prices (
  item text primary key check (item in ('call_minute', 'sms_segment', 'number_setup', 'number_month', 'inbound_email')),
  price_micros bigint not null check (price_micros >= 0)
);
insert into prices values
  ('call_minute', 0), ('sms_segment', 0), ('number_setup', 0), ('number_month', 0), ('inbound_email', 0);

create table ledger_entries (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  kind text not null check (kind in ('credit', 'charge')),
  amount_micros bigint not null,
  balance_micros bigint not null,
  item text,
  quantity int,
  -- What was charged for. One thing is charged once under one item.
  reference text,
  note text,
  created_at timestamptz not null
);
create index ledger_entries_newest on ledger_entries (organization_id, id desc);
create unique index ledger_entries_once on ledger_entries (organization_id, item, reference);

create table provider_settings (
  organization_id uuid not null,
  layer text not null check (layer in ('llm', 'stt', 'tts')),
  provider text not null,
  key_sealed text not null,
  key_last4 text not null,
  key_set_at timestamptz not null,
  params jsonb not null,
  fallback_enabled boolean not null,
  is_active boolean not null,
  primary key (organization_id, layer, provider)
);
create unique index provider_settings_active on provider_settings (organization_id, layer) where is_active;

create table audit_entries (
  id uuid primary key,
  -- Null where the whole service is concerned.
  organization_id uuid,
  user_id uuid,
  credential_id text,
  action text not null,
  object_id text,
  ip text,
  request_id text,
  detail jsonb not null,
  created_at timestamptz not null
);
create index audit_entries_of_organization on audit_entries (organization_id, id desc);
