// Stores objects in a bucket of S3 or a compatible service. Links are presigned URLs.
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Dispatcher, request } from 'undici';
import { type AwsAccess, credentialsOf } from '../../../platform/aws-credentials.ts';
import type { Clock } from '../../../platform/clock.ts';
import { diskFull, StorageUnavailable } from '../../../platform/disk-space.ts';
import { isPassing, isPassingStatus, Passing, retryAfterMs, withRetries } from '../../../platform/retries.ts';
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
  clock: Clock;
  /** The longest first pause before a request is repeated. */
  retry_base_ms?: number;
} & AwsAccess;

const timeout_ms = 60_000;
/** After this no further try begins: a request of a client waits for it. */
const retry_within_ms = 30_000;
/** S3 itself is never full. Compatible services have their own error codes for it. */
const full_error_codes =
  /<Code>(XMinioStorageFull|InsufficientStorage|QuotaExceeded|XMinioAdminBucketQuotaExceeded)<\/Code>/;

/** Temporary credentials that ended in between. */
const expired_codes = /<Code>(ExpiredToken|ExpiredTokenException|TokenRefreshRequired|InvalidToken)<\/Code>/;
/** S3 answers 400 when the content came too slowly. */
const slow_codes = /<Code>(RequestTimeout|SlowDown)<\/Code>/;

type S3Options = {
  headers?: Record<string, string>;
  /** Called for each try. */
  body?: () => Readable;
  max_tries?: number;
};
type S3Call = (
  method: 'GET' | 'PUT' | 'DELETE' | 'HEAD',
  url: URL,
  options?: S3Options,
) => Promise<Dispatcher.ResponseData>;

/**
 * Sends signed requests, and repeats those that fail for a moment: each of them may be done twice. Throws for every status
 * except 2xx and 404.
 */
function s3Client(settings: S3Settings): S3Call {
  const credentials = credentialsOf(settings);
  const retries = settings.retry_base_ms === undefined ? {} : { base_ms: settings.retry_base_ms };
  const once: S3Call = async (method, url, { headers = {}, body } = {}) => {
    const current = await credentials.current();
    const signer = sigv4({ ...current, region: settings.region, service: 's3' });
    const now = settings.clock.now();
    const response = await request(url, {
      method,
      headers: signer.headers(method, url, { now, body: body ? 'streamed' : '', headers }),
      body: body?.() ?? null,
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
    });
    const { statusCode: status } = response;
    // A bucket in another region responds with a redirect: that is an error too.
    if ((status < 200 || status > 299) && status !== 404) {
      const text = (await response.body.text()).slice(0, 500);
      const problem = `The object storage answered ${status} to ${method}: ${text}`;
      if (status === 507 || full_error_codes.test(text)) throw diskFull(problem);
      if (isPassingStatus(status) || slow_codes.test(text))
        throw new Passing(problem, retryAfterMs(response.headers['retry-after']));
      if (expired_codes.test(text) && credentials.forget(current)) throw new Passing(problem);
      throw new Error(problem);
    }
    return response;
  };
  return (method, url, options = {}) =>
    withRetries(() => once(method, url, options), {
      ...retries,
      ...(options.max_tries === undefined ? {} : { max_tries: options.max_tries }),
      within_ms: retry_within_ms,
    }).catch((error: Error) => {
      if (!isPassing(error)) throw error;
      throw new StorageUnavailable(`The object storage cannot be used: ${error.message}`, { cause: error });
    });
}

export function s3Storage(settings: S3Settings): ObjectStorage {
  const { clock } = settings;
  const credentials = credentialsOf(settings);
  const call = s3Client({ ...settings, credentials });
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
          body: file.reader,
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
      const signer = sigv4({ ...(await credentials.current()), region: settings.region, service: 's3' });
      return signer.link('GET', url, { now: clock.now(), expires_seconds: link_seconds });
    },

    async check() {
      const response = await call('HEAD', new URL(bucket_url), { max_tries: 2 });
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
  const keys = [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) =>
    decodeURIComponent(key!.replaceAll('+', ' ')),
  );
  const is_truncated = /<IsTruncated>true<\/IsTruncated>/.test(text);
  return { keys: keys.filter(isKey), next: is_truncated ? (keys.at(-1) ?? null) : null };
}

const noBucket = (bucket_url: string) => new Error(`There is no bucket ${bucket_url.split('/').at(-1)}`);
