-- compatible-from: 0049
-- Batches of emails. items: one entry per email of the request, in its order, with email_id or with the error that rejected it.
create table email_batches (
  organization_id uuid not null,
  id uuid not null,
  on_error text not null check (on_error in ('reject_all', 'send_valid')),
  created_at timestamptz not null,
  items json not null,
  primary key (organization_id, id)
);
