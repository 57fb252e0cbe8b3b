// The keys that seal secrets in the database: given, or made at the first start; all processes must agree on them.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type MasterKey, type Sealer, sha256Base64url } from './crypto.ts';
import type { Queryable } from './db/database.ts';
import type { SealedColumn } from './db/rewrap.ts';
import { sql } from './db/sql.ts';

const signing_context = 'signing_key';

/** Throws unless each part is 32 bytes in base64. Keys are named by their hash, so that an old one is found again. */
/** The signing key of links and return paths is sealed like the secrets of features. */
export const master_key_sealed_columns: readonly SealedColumn[] = [
  { table: 'master_key', column: 'signing_key_sealed' },
];

export function readMasterKeys(text: string): MasterKey[] {
  return text.split(',').map((part) => {
    const key = Buffer.from(part.trim(), 'base64');
    if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(part.trim())) {
      throw new Error('expected 32 random bytes as base64, such as `openssl rand -base64 32` prints');
    }
    return { id: sha256Base64url(key.toString('base64')).slice(0, 8), key };
  });
}

/** The keys kept in the file; made when there is none. Two processes that start together keep one key. */
export async function keptMasterKeys(file: string): Promise<MasterKey[]> {
  await mkdir(dirname(file), { recursive: true, mode: 0o711 });
  const made = `${randomBytes(32).toString('base64')}\n`;
  await writeFile(file, made, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readMasterKeys((await readFile(file, 'utf8')).trim());
}

/**
 * The keys to use with this database, or null when those given do not open what it holds: such a process could read no
 * secret, and would seal new ones that nobody else can read. Without keys of its own a process uses the one kept in the
 * database itself, made by the first that came.
 */
export async function agreedMasterKeys(
  db: Queryable,
  given: readonly MasterKey[] | null,
): Promise<MasterKey[] | null> {
  const made = given ? null : randomBytes(32).toString('base64');
  const own = given ?? readMasterKeys(made!);
  await db.run(sql`
    insert into master_key (key_id, kept_key) values (${own[0]!.id}, ${made}) on conflict do nothing`);
  const row = (await db.maybe<{ key_id: string; kept_key: string | null }>(
    sql`select key_id, kept_key from master_key`,
  ))!;
  const kept = row.kept_key ? readMasterKeys(row.kept_key) : [];
  // A key given later seals from then on; the kept one still opens what is older.
  const keys = given ? [...given, ...kept] : kept;
  return keys.some(({ id }) => id === row.key_id) ? keys : null;
}

/**
 * The key that signs links and return paths, made by the first process that comes. It is not the master key: mail that
 * is out for months names it, and must be understood after the master key was replaced.
 */
export async function agreedSigningKey(db: Queryable, sealer: Sealer): Promise<Buffer> {
  const made = sealer.seal(randomBytes(32), signing_context);
  const row = await db.maybe<{ sealed: string }>(sql`
    update master_key set signing_key_sealed = coalesce(signing_key_sealed, ${made}) returning signing_key_sealed as sealed`);
  return sealer.open(row!.sealed, signing_context);
}

/** After every secret was sealed anew with this key: no older one is needed, and none is kept in the database. */
export async function nameMasterKey(db: Queryable, key: MasterKey): Promise<void> {
  await db.run(sql`update master_key set key_id = ${key.id}, kept_key = null`);
}
