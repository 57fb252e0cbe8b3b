// Keeps objects as files in a folder; links to them carry a signature and are served by this process.
import { createHash } from 'node:crypto';
import { createReadStream, type Dirent } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../../platform/clock.ts';
import { urlSigner } from '../../../platform/crypto.ts';
import type { DiskSpace } from '../../../platform/disk-space.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Ids } from '../../../platform/ids.ts';
import { measured, TooLarge } from '../measured.ts';
import { readRange } from '../range.ts';
import { assertKey, attachmentDisposition, isKey, link_seconds, type ObjectStorage } from '../storage.ts';

const prefix = '/objects/';

const ifMissing =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };

/** Few are ever made, so each is synced together with what leads to it. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(resolve(path), { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let at = resolve(path); at.length >= first.length; at = dirname(at)) await sync(at);
  await sync(dirname(first));
}

async function sync(folder: string): Promise<void> {
  const file = await open(folder, 'r');
  await file.sync().finally(() => file.close());
}

export function folderStorage(deps: {
  folder: string;
  /** Signs the links. */
  key: Buffer;
  clock: Clock;
  ids: Ids;
  baseUrl(): string;
  disk?: Pick<DiskSpace, 'checkCached'> | null;
}): ObjectStorage & { addRoutes(app: FastifyInstance): void } {
  const signer = urlSigner(deps.key);
  const place = (key: string) => {
    assertKey(key);
    return join(deps.folder, key);
  };

  /** Beside the object and with the form of a key: what a death leaves half written is listed like an object. */
  const draftOf = (path: string) => `${path}-${deps.ids.next()}-part`;

  /** The record that names the object is committed next: the object and its name are on the disk before. */
  const keep = async (path: string, write: (file: FileHandle) => Promise<void>): Promise<void> => {
    const draft = draftOf(path);
    // Opened before anything can fail: a draft that is opened later than it is removed would stay.
    const file = await open(draft, 'wx', 0o600).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      await makeFolder(dirname(path));
      return open(draft, 'wx', 0o600);
    });
    let name = draft;
    try {
      await write(file);
      await rename(draft, path);
      name = path;
      // After the renaming and not of the data alone: file systems with a journal (ext4, XFS, btrfs, ZFS) write it in order, so
      // that the name is on the disk as well. Until its record is committed nobody asks for the object.
      await file.sync();
    } catch (error) {
      await rm(name, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  };

  return {
    async put(key, content, { max_bytes }) {
      const path = place(key);
      await deps.disk?.checkCached();
      // Most objects are small and at hand: no stream is needed for them.
      if (content instanceof Uint8Array) {
        if (content.length > max_bytes) return { too_large: true };
        await keep(path, (file) => file.writeFile(content));
        return { size_bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
      }
      const measure = measured(content, max_bytes);
      try {
        await keep(path, async (file) => {
          for await (const chunk of measure.content) await file.writeFile(chunk);
        });
        return measure.result;
      } catch (error) {
        if (error instanceof TooLarge) return { too_large: true };
        throw error;
      }
    },

    async open(key) {
      const path = place(key);
      return (await stat(path).catch(() => null)) ? createReadStream(path) : null;
    },

    remove: (key) => rm(place(key), { force: true }),

    async list(prefix, { after, limit }) {
      const keys: string[] = [];
      const walk = async (below: string): Promise<void> => {
        const entries = await readdir(join(deps.folder, below), { withFileTypes: true }).catch(
          ifMissing<Dirent[]>([]),
        );
        const names = entries.map((each) => below + each.name + (each.isDirectory() ? '/' : '')).sort();
        for (const name of names) {
          if (keys.length === limit) return;
          if (!name.endsWith('/')) {
            if (name > after && isKey(name)) keys.push(name);
          } else if (name > after || after.startsWith(name)) await walk(name);
        }
      };
      await walk(prefix);
      return { keys, next: keys.length === limit ? keys.at(-1)! : null };
    },

    storedAt: async (key) => (await stat(place(key)).catch(ifMissing(null)))?.mtime ?? null,

    async link(key, { filename, content_type }) {
      assertKey(key);
      const expires_at = new Date(deps.clock.ms() + link_seconds * 1000);
      return deps.baseUrl() + signer.sign(prefix + key, expires_at, { filename, content_type });
    },

    check: () => makeFolder(deps.folder),

    /** No cookie and no credential here: the link itself is the permission. */
    addRoutes(app) {
      app.get(`${prefix}*`, async (request: FastifyRequest, reply) => {
        const verdict = signer.verify(request.raw.url!, deps.clock.now());
        if (!verdict.ok) {
          throw new ApiError(verdict.reason === 'expired' ? 'link_expired' : 'link_invalid');
        }
        const key = request.url.slice(prefix.length, request.url.indexOf('?'));
        const path = place(key);
        const found = await stat(path).catch(() => null);
        if (!found) throw new ApiError('not_found');
        const range = readRange(request.headers, found.size);
        if (range === 'unsatisfiable') {
          void reply.header('content-range', `bytes */${found.size}`);
          throw new ApiError('range_not_satisfiable');
        }
        if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${found.size}`);
        return reply
          .headers({
            'content-type': verdict.claims.content_type,
            'content-length': range ? range.end - range.start + 1 : found.size,
            'accept-ranges': 'bytes',
            'content-disposition': attachmentDisposition(verdict.claims.filename ?? 'file'),
            'x-content-type-options': 'nosniff',
            'content-security-policy': "sandbox; default-src 'none'",
            'cache-control': 'private, no-store',
          })
          .send(createReadStream(path, range ?? {}));
      });
    },
  };
}
