// Chooses the account PostgreSQL runs under when root starts it: PostgreSQL refuses to run as root.

import { createHash } from 'node:crypto';
import { lchown, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './reachability.ts';

/** `server` owns the data and runs PostgreSQL. `initdb` needs an account with an entry in /etc/passwd. */
export type Accounts = { server: Account; initdb: Account };

/**
 * No distribution assigns these ids (systemd's table of user ids lists 60706 to 61183 as unused). They are valid in
 * containers, which often map only the ids below 65536.
 */
const first_unused_id = 60_706;
const unused_ids = 478;

/** Returns null when PostgreSQL can run under the account of this process. */
export async function chooseAccounts(data_dir: string, postgres_dir: string): Promise<Accounts | null> {
  if (process.getuid?.() !== 0) return null;
  const [passwd, group, uid_map, gid_map] = await Promise.all(
    ['/etc/passwd', '/etc/group', '/proc/self/uid_map', '/proc/self/gid_map'].map((file) =>
      readFile(file, 'utf8').catch(() => ''),
    ),
  );
  const nobody = named(passwd!, 'nobody') ?? { uid: 65_534, gid: 65_534 };
  const account =
    named(passwd!, 'parley') ?? unusedAccount({ seed: data_dir, passwd: passwd!, group: group! });
  const is_mapped = isMapped(account.uid, uid_map!) && isMapped(account.gid, gid_map!);
  const fallback = is_mapped ? account : nobody;
  const server = (await ownerOf(postgres_dir, nobody)) ?? (await ownerOf(data_dir, nobody)) ?? fallback;
  return { server, initdb: hasEntry(server.uid, passwd!) ? server : nobody };
}

/**
 * Data that an ordinary user created stays with that user: PostgreSQL serves only a directory that its account owns. A container
 * shows ids that it does not map as `nobody`.
 */
async function ownerOf(path: string, nobody: Account): Promise<Account | null> {
  const stats = await stat(path).catch(() => null);
  return stats && stats.uid !== 0 && stats.uid !== nobody.uid ? { uid: stats.uid, gid: stats.gid } : null;
}

function named(passwd: string, name: string): Account | null {
  const entry = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(passwd);
  return entry ? { uid: Number(entry[1]), gid: Number(entry[2]) } : null;
}

const hasEntry = (id: number, table: string) => new RegExp(`^[^:]+:[^:]*:${id}(:|$)`, 'm').test(table);

/** An id without a user or group, chosen by the directory, so that two directories rarely share one. If all are taken, one of them. */
export function unusedAccount(from: { seed: string; passwd: string; group: string }): Account {
  const start = createHash('sha256').update(from.seed).digest().readUInt32BE() % unused_ids;
  for (let i = 0; i < unused_ids; i++) {
    const id = first_unused_id + ((start + i) % unused_ids);
    if (!hasEntry(id, from.passwd) && !hasEntry(id, from.group)) return { uid: id, gid: id };
  }
  return { uid: first_unused_id + start, gid: first_unused_id + start };
}

/** A container may map only some ids. Without the table, as on macOS, all ids are valid. */
function isMapped(id: number, id_map: string): boolean {
  const rows = id_map.trim() === '' ? [] : id_map.trim().split('\n');
  if (rows.length === 0) return true;
  return rows.some((row) => {
    const [inside, , count] = row.trim().split(/\s+/).map(Number);
    return id >= inside! && id < inside! + count!;
  });
}

/** Changes the directory itself last: its owner shows whether an interrupted change must be repeated. */
export async function chownAll(folder: string, { uid, gid }: Account): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid);
  }
  await lchown(folder, uid, gid);
}
