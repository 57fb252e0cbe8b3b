// The SQL of the keys that sign receipts.
import type { ReceiptKey } from '@parley/contract/inbox/receipts';
import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export type StoredKey = { kid: string; private_sealed: string };
export type PublicKey = ReceiptKey & { public_jwk: Record<string, string> };
export type NewKey = StoredKey & { public_jwk: Record<string, unknown>; now: Date };

export const currentKey = (on: Queryable) =>
  on.maybe<StoredKey>(sql`select kid, private_sealed from receipt_keys where retired_at is null`);

/** Returns null when another process created the current key first. */
export const insertKey = (on: Queryable, key: NewKey) =>
  on.maybe<ReceiptKey>(sql`
    insert into receipt_keys (kid, public_jwk, private_sealed, created_at)
    values (${key.kid}, ${JSON.stringify(key.public_jwk)}, ${key.private_sealed}, ${key.now})
    on conflict do nothing returning kid, iso(created_at) as created_at, iso(retired_at) as retired_at`);

export const retireKey = (on: Queryable, now: Date) =>
  on.run(sql`update receipt_keys set retired_at = ${now} where retired_at is null`);

export const publicKeys = (on: Queryable) =>
  on.rows<PublicKey>(sql`
    select kid, public_jwk, iso(created_at) as created_at, iso(retired_at) as retired_at
      from receipt_keys order by created_at desc`);
