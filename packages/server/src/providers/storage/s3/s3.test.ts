// The S3 storage against a stand-in that verifies signatures with its own implementation.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { startBucket } from '../../../../testing/s3-bucket.ts';
import { systemClock } from '../../../platform/clock.ts';
import { sigv4 } from '../../../protocols/sigv4.ts';
import { storageConformance } from '../conformance.ts';
import { s3Storage } from './index.ts';

const clock = systemClock();
const bucket = await startBucket(clock);
const storage = (change: object = {}) => s3Storage({ ...bucket.settings, clock, ...change });

storageConformance('s3', storage);

test('links lead to the public address, and requests of the server to the other one', async () => {
  const { port } = new URL(bucket.settings.endpoint);
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
