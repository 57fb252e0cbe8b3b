// Stores objects as files in a folder. Links to them are signed and served by this process.
import { createHash } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../platform/clock.ts';
import { urlSigner } from '../../../platform/crypto.ts';
import { type DiskSpace, storageError } from '../../../platform/disk-space.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Ids } from '../../../platform/ids.ts';
import { measured, TooLarge } from '../measured.ts';
import { readRange } from '../range.ts';
import { assertKey, attachmentDisposition, link_seconds, type ObjectStorage } from '../storage.ts';
import { ifMissing, listKeys, tryWrite, writeFile } from './files.ts';

const path_prefix = '/objects/';

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
  const pathOf = (key: string) => {
    assertKey(key);
    return join(deps.folder, key);
  };
  /** A draft has the form of a key, so a draft that a crash left behind is listed and swept like an object. */
  const draftOf = (path: string) => `${path}-${deps.ids.next()}-part`;

  return {
    async put(key, content, { max_bytes }) {
      const path = pathOf(key);
      await deps.disk?.checkCached().catch(storageError);
      // Most objects are small and in memory: no stream is needed for them.
      if (content instanceof Uint8Array) {
        if (content.length > max_bytes) return { too_large: true };
        await writeFile(path, draftOf(path), (file) => file.writeFile(content)).catch(storageError);
        return { size_bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
      }
      const measure = measured(content, max_bytes);
      try {
        await writeFile(path, draftOf(path), async (file) => {
          for await (const chunk of measure.content) await file.writeFile(chunk);
        });
        return measure.result;
      } catch (error) {
        if (error instanceof TooLarge) return { too_large: true };
        return storageError(error);
      }
    },

    async open(key) {
      const path = pathOf(key);
      const file = await openFile(path);
      return file ? file.createReadStream() : null;
    },

    remove: (key) => rm(pathOf(key), { force: true }).catch(storageError),

    async list(prefix, options) {
      const keys = await listKeys(deps.folder, prefix, options).catch(storageError);
      return { keys, next: keys.length === options.limit ? keys.at(-1)! : null };
    },

    storedAt: async (key) =>
      (await stat(pathOf(key)).catch(ifMissing(null)).catch(storageError))?.mtime ?? null,

    async link(key, { filename, content_type }) {
      assertKey(key);
      const expires_at = new Date(deps.clock.ms() + link_seconds * 1000);
      return deps.baseUrl() + signer.sign(path_prefix + key, expires_at, { filename, content_type });
    },

    check: oneCheckAtATime(deps.folder),

    /** Needs no cookie and no credential: the signed link is the permission. */
    addRoutes(app) {
      app.get(`${path_prefix}*`, async (request: FastifyRequest, reply) => {
        const verdict = signer.verify(request.raw.url!, deps.clock.now());
        if (!verdict.ok) {
          throw new ApiError(verdict.reason === 'expired' ? 'link_expired' : 'link_invalid');
        }
        const key = request.url.slice(path_prefix.length, request.url.indexOf('?'));
        return sendFile(request, reply, pathOf(key), verdict.claims);
      });
    },
  };
}

/** On a disk that does not respond, more of them would hold every thread that reads files. */
function oneCheckAtATime(folder: string): () => Promise<void> {
  let checking: Promise<void> | null = null;
  return () => {
    checking ??= tryWrite(folder)
      .catch(storageError)
      .finally(() => {
        checking = null;
      });
    return checking;
  };
}

/** Opened before a response begins, so that a file that cannot be read is an error of its own. Null if it does not exist. */
const openFile = (path: string) => open(path).catch(ifMissing(null)).catch(storageError);

/** Always sent as a download: a browser must never render a stored file on this origin. */
async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  claims: Record<string, string | undefined>,
) {
  const file = await openFile(path);
  if (!file) throw new ApiError('not_found');
  const { size } = await file.stat().catch(async (error) => {
    await file.close();
    return storageError(error);
  });
  const range = readRange(request.headers, size);
  if (range === 'unsatisfiable') {
    await file.close();
    void reply.header('content-range', `bytes */${size}`);
    throw new ApiError('range_not_satisfiable');
  }
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  return reply
    .headers({
      'content-type': claims.content_type,
      'content-length': range ? range.end - range.start + 1 : size,
      'accept-ranges': 'bytes',
      'content-disposition': attachmentDisposition(claims.filename ?? 'file'),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
    })
    .send(file.createReadStream(range ?? {}));
}
