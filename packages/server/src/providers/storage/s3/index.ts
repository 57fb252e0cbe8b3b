// Stores objects in a bucket of S3 or a compatible service. Links are presigned URLs.
import { pipeline } from 'node:stream/promises';
import { type Dispatcher, request } from 'undici';
import type { Clock } from '../../../platform/clock.ts';
import { diskFull } from '../../../platform/disk-space.ts';
import { openUnnamedFile } from '../../../platform/unnamed-file.ts';
import { sigv4 } from '../../../protocols/sigv4.ts';
import { measured, TooLarge } from '../measured.ts';
import { assertKey, attachmentDisposition, isKey, link_seconds, type ObjectStorage } from '../storage.ts';

export type S3Settings = {
  endpoint: string;
  /** The address of the same service for clients; null where it is the same. */
  public_endpoint?: string | null;
  region: string;
  bucket: string;
  access_key_id: string;
  secret_access_key: string;
  clock: Clock;
};

const timeout_ms = 60_000;
/** S3 itself is never full. Compatible services have their own error codes for it. */
const full_error_codes =
  /<Code>(XMinioStorageFull|InsufficientStorage|QuotaExceeded|XMinioAdminBucketQuotaExceeded)<\/Code>/;

type S3Call = (
  method: 'GET' | 'PUT' | 'DELETE' | 'HEAD',
  url: URL,
  options?: { headers?: Record<string, string>; body?: NodeJS.ReadableStream },
) => Promise<Dispatcher.ResponseData>;

/** Sends signed requests. Throws for every status except 2xx and 404. */
function s3Client(settings: S3Settings, signer: ReturnType<typeof sigv4>): S3Call {
  return async (method, url, options = {}) => {
    const response = await request(url, {
      method,
      headers: signer.headers(method, url, {
        now: settings.clock.now(),
        body: options.body ? 'streamed' : '',
        headers: options.headers ?? {},
      }),
      body: (options.body as never) ?? null,
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
    });
    const { statusCode: status } = response;
    // A bucket in another region responds with a redirect: that is an error too.
    if ((status < 200 || status > 299) && status !== 404) {
      const text = (await response.body.text()).slice(0, 500);
      const problem = `The object storage answered ${status} to ${method}: ${text}`;
      throw status === 507 || full_error_codes.test(text) ? diskFull(problem) : new Error(problem);
    }
    return response;
  };
}

export function s3Storage(settings: S3Settings): ObjectStorage {
  const { clock } = settings;
  const signer = sigv4({ ...settings, service: 's3' });
  const call = s3Client(settings, signer);
  const bucket_url = `${settings.endpoint}/${settings.bucket}`;
  const public_url = `${settings.public_endpoint ?? settings.endpoint}/${settings.bucket}`;
  const urlOf = (key: string, base = bucket_url): URL => {
    assertKey(key);
    return new URL(`${base}/${key}`);
  };

  return {
    /** S3 needs the size first, so the content is written to a temporary file before the upload. */
    async put(key, content, { content_type, max_bytes }) {
      const url = urlOf(key);
      const file = await openUnnamedFile();
      try {
        const measure = measured(content, max_bytes);
        await pipeline(measure.content, file.writer());
        const response = await call('PUT', url, {
          headers: { 'content-type': content_type, 'content-length': String(measure.result.size_bytes) },
          body: file.reader(),
        });
        await response.body.dump();
        if (response.statusCode === 404) throw noBucket(bucket_url);
        return measure.result;
      } catch (error) {
        if (error instanceof TooLarge) return { too_large: true };
        throw error;
      } finally {
        await file.close();
      }
    },

    async open(key) {
      const response = await call('GET', urlOf(key));
      if (response.statusCode !== 404) return response.body;
      await response.body.dump();
      return null;
    },

    async remove(key) {
      await (await call('DELETE', urlOf(key))).body.dump();
    },

    list: (prefix, options) => listObjects(call, bucket_url, prefix, options),

    async storedAt(key) {
      const response = await call('HEAD', urlOf(key));
      await response.body.dump();
      const stored_at = response.headers['last-modified'];
      return response.statusCode === 404 ? null : new Date(String(stored_at));
    },

    async link(key, { filename, content_type }) {
      // The signature covers the host, so the link is signed for the address that clients use.
      const url = urlOf(key, public_url);
      url.searchParams.set('response-content-disposition', attachmentDisposition(filename));
      url.searchParams.set('response-content-type', content_type);
      return signer.link('GET', url, { now: clock.now(), expires_seconds: link_seconds });
    },

    async check() {
      const response = await call('HEAD', new URL(bucket_url));
      await response.body.dump();
      if (response.statusCode === 404) throw noBucket(bucket_url);
    },
  };
}

/** ListObjectsV2. Keys that are not ours are left out. */
async function listObjects(
  call: S3Call,
  bucket_url: string,
  prefix: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ keys: string[]; next: string | null }> {
  const url = new URL(bucket_url);
  const params = { 'list-type': '2', 'encoding-type': 'url', prefix, 'start-after': after };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  url.searchParams.set('max-keys', String(limit));
  const response = await call('GET', url);
  const text = await response.body.text();
  if (response.statusCode === 404) throw noBucket(bucket_url);
  const found = [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) =>
    decodeURIComponent(key!.replaceAll('+', ' ')),
  );
  const is_truncated = /<IsTruncated>true<\/IsTruncated>/.test(text);
  return { keys: found.filter(isKey), next: is_truncated ? (found.at(-1) ?? null) : null };
}

const noBucket = (bucket_url: string) => new Error(`There is no bucket ${bucket_url.split('/').at(-1)}`);
