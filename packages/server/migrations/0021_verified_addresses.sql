-- Addresses of accounts are proven by mail. An account with a membership counts as proven, since somebody with a right to do so
-- made that membership; so does that of a superadmin and of a person of the outside issuer. Any other account proves nothing:
-- its sessions and tokens end, and the next person who proves the address gets the address.
update accounts.users u set email_verified = true
 where not u.email_verified
   and (u.superadmin or u.external_subject is not null or exists (select 1 from members m where m.user_id = u.id));
delete from accounts.session s using accounts.users u where u.id = s."userId" and not u.email_verified;
delete from accounts."oauthAccessToken" t using accounts.users u where u.id = t."userId" and not u.email_verified;
delete from accounts."oauthRefreshToken" t using accounts.users u where u.id = t."userId" and not u.email_verified;

-- A person of the outside issuer has an account of their own: "email" then holds a name that nobody can sign in or sign up with,
-- and the address stands here.
alter table accounts.users add column contact_email text;

-- Sign-ups that wait for the code that was mailed. There is no account before the code was typed.
create table sign_ups (
  id uuid primary key,
  -- SHA-256 of the secret that the browser of the sign-up holds.
  token_hash text not null unique,
  email text not null,
  name text not null,
  -- Null where the address has an account: such a sign-up looks like any other and can never be finished.
  password_hash text,
  -- SHA-256 of that secret and the code together.
  code_hash text,
  attempts int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sign_ups_of_address on sign_ups (email);
create index sign_ups_age on sign_ups (expires_at);

-- Places from which an account was signed in to: guesses from elsewhere do not slow them down.
create table sign_in_places (
  user_id uuid not null references accounts.users (id) on delete cascade,
  -- SHA-256 of the account and the network address together.
  place_hash text not null,
  last_used_at timestamptz not null,
  primary key (user_id, place_hash)
);
create index sign_in_places_age on sign_in_places (last_used_at);
