// The folder storage behind a real HTTP server.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fastify from 'fastify';
import { systemClock } from '../../../platform/clock.ts';
import { asApiError, problemAnswer } from '../../../platform/http/problem.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';
import { storageConformance } from '../conformance.ts';
import { folderStorage } from './index.ts';

const folder = await mkdtemp(join(tmpdir(), 'parley-objects-'));
const clock = systemClock();
const app = fastify();
app.setErrorHandler((error, request, reply) => {
  const answer = problemAnswer(asApiError(error), request.id);
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

test('a link of the folder expires, never renders, and sets no cookie', async () => {
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

test('a broken upload leaves no file behind', async () => {
  async function* broken() {
    yield Buffer.from('half');
    throw new Error('gone');
  }
  await assert.rejects(storage.put('drafts/one', broken(), { content_type: 'text/plain', max_bytes: 10 }));
  assert.deepEqual(await readdir(join(folder, 'drafts')), []);
});

test('uploads that are too large from their first bytes leave no file behind', async () => {
  async function* large() {
    yield Buffer.alloc(11);
  }
  const put = (_: unknown, n: number) =>
    storage.put(`drafts/large-${n}`, large(), { content_type: 'text/plain', max_bytes: 10 });
  const answers = await Promise.all(Array.from({ length: 50 }, put));
  assert.ok(answers.every((answer) => 'too_large' in answer));
  assert.deepEqual(await readdir(join(folder, 'drafts')), []);
});
