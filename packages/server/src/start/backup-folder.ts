// The files of a backup: a manifest, one compressed file of JSON lines per table, and the objects.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline as connect, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { DumpedTable } from '../platform/db/table-dump.ts';
import { StartError } from '../platform/start-error.ts';
import { isKey } from '../providers/storage/storage.ts';

export type BackupManifest = {
  format: 1;
  created_at: string;
  /** The id of the master key, not the key. */
  master_key_id: string | null;
  migrations: { name: string; hash: string }[];
  tables: (DumpedTable & { rows: number; sha256: string })[];
  objects: number;
};

const manifest_name = 'backup.json';

/** Everything of a kind that has objects. The mark of the sweeper belongs to the storage, not to the backup. */
export const object_prefixes = ['attachments/', 'raw/', 'recordings/'];

const tableFile = (folder: string, { schema, name }: DumpedTable) =>
  join(folder, 'tables', `${schema}.${name}.jsonl.gz`);
const objectFile = (folder: string, key: string) => join(folder, 'objects', key);

/** Builds the backup beside its final place, so that an interrupted one is never taken for a whole one. */
export async function createBackupFolder(
  folder: string,
): Promise<{ draft: string; finish(): Promise<void> }> {
  const existing = await readdir(folder).catch(() => null);
  if (existing && existing.length > 0)
    throw new StartError(`${folder} is not empty. Name a new folder for the backup.`);
  const draft = `${folder}.partial`;
  await rm(draft, { recursive: true, force: true });
  // The backup contains messages and addresses of people.
  await mkdir(join(draft, 'tables'), { recursive: true, mode: 0o700 });
  return {
    draft,
    async finish() {
      // Fails if another program has written to it meanwhile.
      if (existing) await rmdir(folder);
      await rename(draft, folder);
    },
  };
}

export async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  const file = await open(join(folder, manifest_name), 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, manifest_name), 'utf8').catch(() => {
    throw new StartError(
      `${folder} is not a backup: it has no ${manifest_name}. Name the folder that the command backup wrote.`,
    );
  });
  const manifest = parseManifest(text);
  if (manifest === null)
    throw new StartError(
      `The backup is damaged: ${manifest_name} in ${folder} was changed. Use another backup.`,
    );
  if (manifest.format !== 1)
    throw new StartError(
      `The backup in ${folder} was made by a newer version. Restore it with that version.`,
    );
  return manifest;
}

function parseManifest(text: string): BackupManifest | null {
  try {
    const manifest = JSON.parse(text) as BackupManifest | null;
    return Array.isArray(manifest?.tables) && Array.isArray(manifest.migrations) ? manifest : null;
  } catch {
    return null;
  }
}

/** Returns the number of rows and the hash of the file. */
export async function writeTable(
  folder: string,
  table: DumpedTable,
  batches: AsyncIterable<string[]>,
): Promise<{ rows: number; sha256: string }> {
  let rows = 0;
  const hash = createHash('sha256');
  async function* text() {
    for await (const lines of batches) {
      rows += lines.length;
      yield `${lines.join('\n')}\n`;
    }
  }
  const hashed = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(
    Readable.from(text()),
    createGzip(),
    hashed,
    createWriteStream(tableFile(folder, table), { mode: 0o600 }),
  );
  return { rows, sha256: hash.digest('hex') };
}

/** Throws if a file of a table is missing or damaged. */
export async function verifyTables(folder: string, { tables }: BackupManifest): Promise<void> {
  for (const table of tables) {
    const hash = createHash('sha256');
    const file = tableFile(folder, table);
    await pipeline(createReadStream(file), hash).catch((error: Error) => {
      throw new StartError(`The backup is incomplete: ${error.message}. Use another backup.`);
    });
    if (hash.digest('hex') !== table.sha256)
      throw new StartError(`The backup is damaged: ${file} was changed. Use another backup.`);
  }
}

/** Not with readline, which also ends a line at U+2028: that is an ordinary character of a JSON text. */
export async function* readTable(folder: string, table: DumpedTable): AsyncGenerator<string> {
  let rest = '';
  // Reading the text fails as well if the file cannot be read; `pipe` would leave that error without a handler.
  const unzipped = connect(createReadStream(tableFile(folder, table)), createGunzip(), () => {});
  unzipped.setEncoding('utf8');
  for await (const chunk of unzipped) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
}

export async function writeObject(folder: string, key: string, content: Readable): Promise<void> {
  const file = objectFile(folder, key);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await pipeline(content, createWriteStream(file, { mode: 0o600 }));
}

export async function objectKeys(folder: string): Promise<string[]> {
  const root = join(folder, 'objects');
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter(isKey)
    .sort();
}

export const openObject = (folder: string, key: string): Readable =>
  createReadStream(objectFile(folder, key));

/** A backup takes long, so a file that is in the way is reported before it starts. */
export async function requireNewFile(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new StartError(`${file} exists. Name a new file for the master key.`);
}

/** Only for its owner, and never over an existing file. */
export const writeMasterKey = (file: string, key: string) =>
  writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx' }).catch((error: Error) => {
    throw new StartError(
      `The master key cannot be written: ${error.message}. Name a new file in a folder that this user may write.`,
    );
  });

/** For progress lines: `1 row`, `2 rows`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
