// The Ed25519 keys that sign receipts: the first one is created when it is needed, retired ones stay in the key set.
import type { ReceiptKey } from '@parley/contract/inbox/receipts';
import {
  CompactSign,
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
} from 'jose';
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import type { SealedColumn } from '../../../platform/db/rewrap.ts';
import * as store from './key-store.ts';

export const receipt_sealed_columns: readonly SealedColumn[] = [
  { table: 'receipt_keys', column: 'private_sealed' },
];

const algorithm = 'EdDSA';
const typ = 'parley-receipt+jwt';

const sealContext = (kid: string) => `receipt_key:${kid}`;

export type ReceiptKeys = ReturnType<typeof receiptKeys>;
export type Sign = (claims: Record<string, unknown>) => Promise<string>;

export function receiptKeys(deps: { db: Database; wall_clock: Clock; sealer: Sealer }) {
  const { db, wall_clock, sealer } = deps;
  const imported = new Map<string, CryptoKey>();

  const newKey = async (): Promise<store.NewKey> => {
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true });
    const public_jwk = await exportJWK(publicKey);
    const kid = await calculateJwkThumbprint(public_jwk);
    const private_sealed = sealer.seal(JSON.stringify(await exportJWK(privateKey)), sealContext(kid));
    return { kid, public_jwk: { ...public_jwk }, private_sealed, now: wall_clock.now() };
  };

  const current = async (on: Queryable): Promise<store.StoredKey> => {
    const current_key = await store.currentKey(on);
    if (current_key) return current_key;
    await store.insertKey(on, await newKey());
    return (await store.currentKey(on))!;
  };

  const privateKey = async ({ kid, private_sealed }: store.StoredKey): Promise<CryptoKey> => {
    const imported_key = imported.get(kid);
    if (imported_key) return imported_key;
    const jwk = JSON.parse(sealer.open(private_sealed, sealContext(kid)).toString('utf8'));
    const key = (await importJWK(jwk, algorithm)) as CryptoKey;
    imported.clear();
    imported.set(kid, key);
    return key;
  };

  return {
    /** The signer for one batch. Reads the current key from the database, so a rotation takes effect at once. */
    async signer(on: Queryable): Promise<{ kid: string; sign: Sign }> {
      const stored = await current(on);
      const key = await privateKey(stored);
      const header = { alg: algorithm, typ, kid: stored.kid };
      const sign: Sign = (claims) =>
        new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader(header).sign(key);
      return { kid: stored.kid, sign };
    },

    rotate: async (): Promise<ReceiptKey> => {
      const key = await newKey();
      return db.transaction(async (tx) => {
        await store.retireKey(tx, key.now);
        return (await store.insertKey(tx, key))!;
      });
    },

    /** A JSON Web Key Set (RFC 7517). */
    async keySet() {
      await current(db);
      const keys = await store.publicKeys(db);
      return {
        keys: keys.map(({ public_jwk, ...key }) => ({ ...public_jwk, use: 'sig', alg: algorithm, ...key })),
      };
    },
  };
}
