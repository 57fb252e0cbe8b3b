-- Money that calls in progress hold. `reserved_micros` is the sum of an organization's reservations; both change while the
-- organization's row is locked, and one lock reads balance and reserve.
alter table organizations add column reserved_micros bigint not null default 0;

create table fund_reservations (
  organization_id uuid not null references organizations (id),
  item text not null,
  -- What it is for, such as the id of a call.
  reference text not null,
  quantity int not null check (quantity > 0),
  -- The price when the use began; it holds to the end.
  price_micros bigint not null check (price_micros >= 0),
  created_at timestamptz not null,
  primary key (organization_id, item, reference)
);
