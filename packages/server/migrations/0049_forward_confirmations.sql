-- Whether the owner of a forward address agreed. `email_domains.forward_to` stays the list that the organization wants;
-- an address in it without a confirmed row gets nothing, unless it lies on a verified domain of the same organization.
create table email_forward_confirmations (
  id uuid primary key,
  organization_id uuid not null,
  -- Not a reference: a refusal outlives the domain.
  email_domain_id uuid not null,
  -- As it stands in forward_to, and in the form in which two spellings are the same person.
  address text not null,
  address_key text not null,
  requested_at timestamptz not null,
  confirmed_at timestamptz,
  refused_at timestamptz,
  unique (email_domain_id, address_key)
);
create index email_forward_confirmations_people on email_forward_confirmations (organization_id, address_key);

-- The links that were mailed, hashed. A link that confirms works once and ends; one that stops works at any time.
create table email_forward_tokens (
  token_hash text primary key,
  confirmation_id uuid not null references email_forward_confirmations (id) on delete cascade,
  kind text not null check (kind in ('confirm', 'stop')),
  expires_at timestamptz
);
create index email_forward_tokens_of on email_forward_tokens (confirmation_id);
