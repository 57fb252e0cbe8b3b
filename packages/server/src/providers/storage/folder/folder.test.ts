// The folder storage, with its links served by a real HTTP server.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import fastify from 'fastify';
import { systemClock } from '../../../platform/clock.ts';
import { StorageUnavailable } from '../../../platform/disk-space.ts';
import { asApiError, problemResponse } from '../../../platform/http/problem.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';
import { storageConformance } from '../conformance.ts';
import { folderStorage } from './index.ts';

const folder = await mkdtemp(join(tmpdir(), 'parley-objects-'));
const clock = systemClock();
const app = fastify();
app.setErrorHandler((error, request, reply) => {
  const answer = problemResponse(asApiError(error), request.id);
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
});
const storage = folderStorage({
  folder,
  key: randomBytes(32),
  clock,
  ids: uuidv7Ids(clock),
  baseUrl: () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
});
storage.addRoutes(app);
await app.listen({ port: 0, host: '127.0.0.1' });
after(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

storageConformance('folder', () => storage);

test('a link expires, is never rendered by a browser, and sets no cookie', async () => {
  async function* content() {
    yield Buffer.from('<script>alert(1)</script>');
  }
  await storage.put('raw/page', content(), { content_type: 'text/html', max_bytes: 100 });
  const link = await storage.link('raw/page', { filename: 'page.html', content_type: 'text/html' });
  const answer = await fetch(link);
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.match(answer.headers.get('content-disposition')!, /^attachment/);
  assert.match(answer.headers.get('content-security-policy')!, /sandbox/);
  assert.equal(answer.headers.get('set-cookie'), null);
  clock.moveTo(301_000);
  assert.equal((await fetch(link)).status, 403);
  clock.moveTo(0);
});

test('a download can be resumed: a range gets 206, and a range after the end gets 416 (O9)', async () => {
  const content = Buffer.from('0123456789');
  await storage.put('raw/digits', content, { content_type: 'audio/wav', max_bytes: 100 });
  const link = await storage.link('raw/digits', { filename: 'digits.wav', content_type: 'audio/wav' });
  const download = async (range: string, more: Record<string, string> = {}) => {
    const answer = await fetch(link, { headers: { range, ...more } });
    const { headers, status } = answer;
    return [status, headers.get('content-range'), status === 416 ? null : await answer.text()];
  };
  assert.equal((await fetch(link)).headers.get('accept-ranges'), 'bytes');
  assert.deepEqual(await download('bytes=2-4'), [206, 'bytes 2-4/10', '234']);
  assert.deepEqual(await download('bytes=7-'), [206, 'bytes 7-9/10', '789']);
  assert.deepEqual(await download('bytes=7-100'), [206, 'bytes 7-9/10', '789']);
  assert.deepEqual(await download('bytes=-3'), [206, 'bytes 7-9/10', '789']);
  assert.deepEqual(await download('bytes=-100'), [206, 'bytes 0-9/10', '0123456789']);
  assert.deepEqual(await download('bytes=10-'), [416, 'bytes */10', null]);
  assert.deepEqual(await download('bytes=-0'), [416, 'bytes */10', null]);
  // RFC 9110 lets a server ignore ranges that it does not support.
  for (const range of ['bytes=4-2', 'bytes=1-2,4-5', 'lines=1-2', 'bytes=-', 'bytes=x-']) {
    assert.deepEqual(await download(range), [200, null, '0123456789'], range);
  }
  assert.deepEqual(await download('bytes=2-4', { 'if-range': '"another"' }), [200, null, '0123456789']);
  const head = await fetch(link, { method: 'HEAD', headers: { range: 'bytes=2-4' } });
  assert.deepEqual([head.status, head.headers.get('content-length')], [206, '3']);
});

test('an aborted upload leaves no file', async () => {
  async function* broken() {
    yield Buffer.from('half');
    throw new Error('gone');
  }
  await assert.rejects(storage.put('drafts/one', broken(), { content_type: 'text/plain', max_bytes: 10 }));
  assert.deepEqual(await readdir(join(folder, 'drafts')), []);
});

test('uploads that are too large from the first chunk leave no file', async () => {
  async function* large() {
    yield Buffer.alloc(11);
  }
  const put = (_: unknown, n: number) =>
    storage.put(`drafts/large-${n}`, large(), { content_type: 'text/plain', max_bytes: 10 });
  const answers = await Promise.all(Array.from({ length: 50 }, put));
  assert.ok(answers.every((answer) => 'too_large' in answer));
  assert.deepEqual(await readdir(join(folder, 'drafts')), []);
});

test('F13: a folder with another kind of file in its place is unavailable for every use, and not empty', async () => {
  const options = { content_type: 'text/plain', max_bytes: 10 };
  await storage.put('blocked', Buffer.from('x'), options);
  const uses = {
    put: () => storage.put('blocked/one', Buffer.from('x'), options),
    putStream: () => storage.put('blocked/one', Readable.from([Buffer.from('x')]), options),
    open: () => storage.open('blocked/one'),
    storedAt: () => storage.storedAt('blocked/one'),
    list: () => storage.list('blocked/', { after: '', limit: 1 }),
  };
  for (const [use, run] of Object.entries(uses)) await assert.rejects(run(), StorageUnavailable, use);
  const link = await storage.link('blocked/one', { filename: 'one.txt', content_type: 'text/plain' });
  const download = await fetch(link);
  const { code } = (await download.json()) as { code: string };
  assert.deepEqual([download.status, code], [503, 'storage_unavailable']);
  await storage.remove('blocked');
});
