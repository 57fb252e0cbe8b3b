// Keeps objects in a bucket of S3 or a service that speaks like it; links are presigned by the same protocol.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { request } from 'undici';
import type { Clock } from '../../../platform/clock.ts';
import { diskFull } from '../../../platform/disk-space.ts';
import { sigv4 } from '../../../protocols/sigv4.ts';
import { measured, TooLarge } from '../measured.ts';
import { assertKey, attachmentDisposition, isKey, link_seconds, type ObjectStorage } from '../storage.ts';

export type S3Settings = {
  endpoint: string;
  region: string;
  bucket: string;
  access_key_id: string;
  secret_access_key: string;
  clock: Clock;
};

const timeout_ms = 60_000;
/** S3 itself is never full; services that speak like it have codes of their own. */
const full_words =
  /<Code>(XMinioStorageFull|InsufficientStorage|QuotaExceeded|XMinioAdminBucketQuotaExceeded)<\/Code>/;

export function s3Storage(settings: S3Settings): ObjectStorage {
  const { clock } = settings;
  const signer = sigv4({ ...settings, service: 's3' });
  const place = (key: string): URL => {
    assertKey(key);
    return new URL(`${settings.endpoint}/${settings.bucket}/${key}`);
  };
  const call = async (
    method: 'GET' | 'PUT' | 'DELETE' | 'HEAD',
    url: URL,
    options: { headers?: Record<string, string>; body?: NodeJS.ReadableStream } = {},
  ) => {
    const answer = await request(url, {
      method,
      headers: signer.headers(method, url, {
        now: clock.now(),
        body: options.body ? 'streamed' : '',
        headers: options.headers ?? {},
      }),
      body: (options.body as never) ?? null,
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
    });
    // A bucket of another region answers with a redirect: nothing was done then, either.
    if ((answer.statusCode < 200 || answer.statusCode > 299) && answer.statusCode !== 404) {
      const words = (await answer.body.text()).slice(0, 500);
      const told = `The object storage answered ${answer.statusCode} to ${method}: ${words}`;
      throw answer.statusCode === 507 || full_words.test(words) ? diskFull(told) : new Error(told);
    }
    return answer;
  };

  return {
    /** The service wants to know the size first, so the content waits in a file until it is whole. */
    async put(key, content, { content_type, max_bytes }) {
      const url = place(key);
      const folder = await mkdtemp(join(tmpdir(), 'parley-object-'));
      try {
        const file = join(folder, 'object');
        const measure = measured(content, max_bytes);
        await pipeline(measure.content, createWriteStream(file, { mode: 0o600 }));
        const answer = await call('PUT', url, {
          headers: { 'content-type': content_type, 'content-length': String(measure.result.size_bytes) },
          body: createReadStream(file),
        });
        await answer.body.dump();
        if (answer.statusCode === 404) throw new Error(`There is no bucket ${settings.bucket}`);
        return measure.result;
      } catch (error) {
        if (error instanceof TooLarge) return { too_large: true };
        throw error;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },

    async open(key) {
      const answer = await call('GET', place(key));
      if (answer.statusCode !== 404) return answer.body;
      await answer.body.dump();
      return null;
    },

    async remove(key) {
      await (await call('DELETE', place(key))).body.dump();
    },

    async list(prefix, { after, limit }) {
      const url = new URL(`${settings.endpoint}/${settings.bucket}`);
      const asked = { 'list-type': '2', 'encoding-type': 'url', prefix, 'start-after': after };
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
      url.searchParams.set('max-keys', String(limit));
      const answer = await call('GET', url);
      const text = await answer.body.text();
      if (answer.statusCode === 404) throw new Error(`There is no bucket ${settings.bucket}`);
      const found = [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) =>
        decodeURIComponent(key!.replaceAll('+', ' ')),
      );
      const is_cut = /<IsTruncated>true<\/IsTruncated>/.test(text);
      return { keys: found.filter(isKey), next: is_cut ? (found.at(-1) ?? null) : null };
    },

    async storedAt(key) {
      const answer = await call('HEAD', place(key));
      await answer.body.dump();
      const said = answer.headers['last-modified'];
      return answer.statusCode === 404 ? null : new Date(String(said));
    },

    async link(key, { filename, content_type }) {
      const url = place(key);
      url.searchParams.set('response-content-disposition', attachmentDisposition(filename));
      url.searchParams.set('response-content-type', content_type);
      return signer.link('GET', url, { now: clock.now(), expires_seconds: link_seconds });
    },

    async check() {
      const answer = await call('HEAD', new URL(`${settings.endpoint}/${settings.bucket}`));
      await answer.body.dump();
      if (answer.statusCode === 404) throw new Error(`There is no bucket ${settings.bucket}`);
    },
  };
}
