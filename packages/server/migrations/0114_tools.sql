-- compatible-from: 0049
-- Endpoints of an organization that its agents can call: single HTTP tools, and servers with the Model Context Protocol.
create table tools (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  description text not null,
  parameters json not null,
  fixed json not null,
  url text not null,
  header_names json not null,
  headers_sealed text,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_expires_at timestamptz,
  effect text not null check (effect in ('read', 'act')),
  timeout_ms integer not null,
  speech json,
  redact json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index tools_name on tools (organization_id, name);
create index tools_newest on tools (organization_id, id);

create table mcp_servers (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  url text not null,
  header_names json not null,
  headers_sealed text,
  -- What may be used, with the hash of the definition at the moment it was allowed.
  allow json not null,
  timeout_ms integer not null,
  -- The tools as the server last described them, and how it wants to be spoken to.
  tools json not null,
  discovery json,
  error text,
  checked_at timestamptz,
  refresh_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index mcp_servers_name on mcp_servers (organization_id, name);
create index mcp_servers_newest on mcp_servers (organization_id, id);
create index mcp_servers_due on mcp_servers (refresh_at);
