// The S3 storage against a stand-in that verifies signatures with its own implementation.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { isSigned } from '../../../../testing/sigv4.ts';
import { systemClock } from '../../../platform/clock.ts';
import { sigv4 } from '../../../protocols/sigv4.ts';
import { storageConformance } from '../conformance.ts';
import { s3Storage } from './index.ts';

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const objects = new Map<string, { body: Buffer; type: string; stored_at: Date }>();

const bucket = createServer(async (request, response) => {
  const url = new URL(request.url!, `http://${request.headers.host}`);
  const body = await buffer(request);
  const { method, headers } = request;
  if (!isSigned({ method: method!, url, headers, body: body as Buffer }, secret, clock.ms())) {
    response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
    return;
  }
  const key = url.pathname;
  if (request.method === 'HEAD') {
    const stored_at = objects.get(key)?.stored_at;
    const headers = stored_at ? { 'last-modified': stored_at.toUTCString() } : {};
    response.writeHead(key === '/parley' || stored_at ? 200 : 404, headers).end();
  } else if (url.searchParams.get('list-type') === '2')
    response.writeHead(200).end(listing(url.searchParams));
  else if (request.method === 'PUT') {
    assert.equal(Number(request.headers['content-length']), body.length);
    objects.set(key, {
      body: body as Buffer,
      type: request.headers['content-type']!,
      stored_at: new Date(),
    });
    response.writeHead(200).end();
  } else if (request.method === 'DELETE') {
    objects.delete(key);
    response.writeHead(204).end();
  } else {
    const found = objects.get(key);
    if (!found) response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    else
      response
        .writeHead(200, {
          'content-type': url.searchParams.get('response-content-type') ?? found.type,
          'content-disposition': url.searchParams.get('response-content-disposition') ?? 'inline',
        })
        .end(found.body);
  }
}).listen(0, '127.0.0.1');
await once(bucket, 'listening');
after(() => void bucket.close());

/** A response of ListObjectsV2. */
function listing(params: URLSearchParams): string {
  assert.equal(params.get('encoding-type'), 'url');
  const found = [...objects.keys()]
    .map((path) => path.slice('/parley/'.length))
    .filter((key) => key.startsWith(params.get('prefix')!) && key > params.get('start-after')!)
    .sort();
  const page = found.slice(0, Number(params.get('max-keys')));
  const keys = page.map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key><Size>1</Size></Contents>`);
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>parley</Name><KeyCount>${page.length}</KeyCount><IsTruncated>${page.length < found.length}</IsTruncated>${keys.join('')}</ListBucketResult>`;
}

const clock = systemClock();
const storage = (change: object = {}) =>
  s3Storage({
    endpoint: `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`,
    region: 'eu-west-1',
    bucket: 'parley',
    access_key_id: 'AKIDEXAMPLE',
    secret_access_key: secret,
    clock,
    ...change,
  });

storageConformance('s3', storage);

test('links lead to the public address, and requests of the server to the other one', async () => {
  const { port } = bucket.address() as AddressInfo;
  const apart = storage({ public_endpoint: `http://localhost:${port}` });
  await apart.put('raw/apart', Buffer.from('x'), { content_type: 'text/plain', max_bytes: 10 });
  const link = await apart.link('raw/apart', { filename: 'a', content_type: 'text/plain' });
  assert.ok(link.startsWith(`http://localhost:${port}/parley/raw/apart?`), link);
  assert.equal(await (await fetch(link)).text(), 'x');
});

test('a link expires, and a wrong secret or bucket gives an error', async () => {
  async function* content() {
    yield Buffer.from('x');
  }
  await storage().put('raw/one', content(), { content_type: 'text/plain', max_bytes: 10 });
  const link = await storage().link('raw/one', { filename: 'a', content_type: 'text/plain' });
  clock.moveTo(301_000);
  assert.equal((await fetch(link)).status, 403);
  clock.moveTo(0);
  await assert.rejects(storage({ secret_access_key: 'wrong' }).open('raw/one'), /403/);
  await assert.rejects(storage({ bucket: 'other' }).check(), /no bucket other/);
});

test('a redirect is an error', async () => {
  const elsewhere = createServer((request, response) => {
    request.resume();
    response.writeHead(301, { location: 'http://127.0.0.1:9/' }).end('<Code>PermanentRedirect</Code>');
  }).listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  after(() => void elsewhere.close());
  const moved = storage({ endpoint: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}` });
  const content = Buffer.from('x');
  for (const attempt of [
    () => moved.check(),
    () => moved.put('raw/one', content, { content_type: 'text/plain', max_bytes: 10 }),
    () => moved.open('raw/one'),
    () => moved.remove('raw/one'),
    () => moved.storedAt('raw/one'),
    () => moved.list('raw/', { after: '', limit: 1 }),
  ])
    await assert.rejects(async () => attempt(), /answered 301/);
});

test('a request is signed like the published example of Signature Version 4', () => {
  // The GET example of the Signature Version 4 documentation for S3 (examplebucket, test.txt).
  const signer = sigv4({
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
    secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
    service: 's3',
  });
  const now = new Date('2013-05-24T00:00:00Z');
  const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
  const { authorization } = signer.headers('GET', url, { now, body: '', headers: { range: 'bytes=0-9' } });
  assert.match(authorization!, /Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/);
  const link = signer.link('GET', url, { now, expires_seconds: 86_400 });
  assert.match(link, /X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404$/);
});
