// The sweeper removes old objects without a record, and nothing else.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { startTestApp } from '../../../../testing/app.ts';
import { openTestDatabase } from '../../../../testing/database.ts';
import { startDns } from '../../../../testing/dns-server.ts';
import { deliver, rawMessage } from '../../../../testing/smtp-client.ts';
import { systemClock } from '../../../platform/clock.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';
import { makeLog } from '../../../platform/log.ts';
import { folderStorage } from '../../../providers/storage/folder/index.ts';
import { mailObjectKey, mailObjectSweep } from './index.ts';

const filesBelow = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile())
    .map((each) => relative(folder, join(each.parentPath, each.name)))
    .sort();
const yesterday = new Date(Date.now() - 25 * 3_600_000);

test('objects that a crash left without a record are removed after a day; referenced and new objects stay', async () => {
  const dns = await startDns();
  const { app, client, data_dir, later, url } = await startTestApp({ PARLEY_DNS_SERVERS: dns.address });
  const folder = join(data_dir, 'objects');
  const port = await app.smtp.listen();
  after(() => app.smtp.close());
  // A message with an attachment, an upload, and a sent message whose raw form was requested: one object of each kind.
  const { body: box } = await client.request<{ default_address: string }>('POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: 'ana',
    local_prefix_org: 'acme',
  });
  const body = '--b\r\nContent-Type: text/csv; name=a.csv\r\n\r\n1,2\r\n--b--\r\n';
  const headers = ['Content-Type: multipart/mixed; boundary=b'];
  const to = box.default_address;
  assert.match(await deliver(port, { to, raw: rawMessage({ to, headers, body }) }), /^250/);
  const form = new FormData();
  form.append('file', new Blob(['x']), 'x.txt');
  const authorization = `Bearer ${client.key}`;
  await fetch(`${url}/v1/email-attachments`, { method: 'POST', headers: { authorization }, body: form });
  const sent = await client.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@example.org'],
    subject: 'Hello',
  });
  await client.request('GET', `/v1/emails/${sent.body.id}/raw`);
  const referenced = (await filesBelow(folder)).filter((key) => /^(raw|attachments)\//.test(key));
  assert.deepEqual(
    referenced.map((key) => key.split('/').slice(0, 2).join('/')),
    ['attachments/in', 'attachments/up', 'raw/in', 'raw/out'],
  );

  const copy = async (from: string, key: string, time: Date) => {
    await copyFile(join(folder, from), join(folder, key));
    await utimes(join(folder, key), time, time);
  };
  const beside = (key: string, id = randomUUID()) => key.replace(/[0-9a-f-]{36}$/, id);
  const [recent, unreferenced]: [string[], string[]] = [[], []];
  for (const key of referenced) {
    await utimes(join(folder, key), yesterday, yesterday);
    unreferenced.push(beside(key), `${key}-${randomUUID()}-part`);
    recent.push(beside(key));
  }
  const unrelated = referenced[0]!.replace(/[^/]+$/, 'readme');
  for (const [at, key] of unreferenced.entries()) await copy(referenced[at >> 1]!, key, yesterday);
  for (const [at, key] of recent.entries()) await copy(referenced[at]!, key, new Date());
  await copy(referenced[0]!, unrelated, yesterday);

  // The first run only marks the owner of the storage.
  for (let runs = 0; runs < 2; runs++) await later(3700);
  await app.jobs.drain();
  const remaining = (await filesBelow(folder)).filter((key) => /^(raw|attachments)\//.test(key));
  assert.deepEqual(remaining, [...referenced, ...recent, unrelated].sort());
  const list = await client.request<{ items: { id: string }[] }>('GET', '/v1/emails');
  for (const { id } of list.body.items) {
    const { body: email } = await client.request<Email>('GET', `/v1/emails/${id}`);
    for (const address of [email.raw_url!, ...email.attachments.map((each) => each.url)]) {
      assert.equal((await fetch(address, { headers: { authorization } })).status, 200, address);
    }
  }
});

/** The sweeper of one process over a folder and a database. */
const startSweeper = async (folder: string, database: Awaited<ReturnType<typeof openTestDatabase>>) => {
  const clock = systemClock();
  const storage = folderStorage({
    folder,
    key: randomBytes(32),
    clock,
    ids: uuidv7Ids(clock),
    baseUrl: () => '',
  });
  const job = mailObjectSweep({
    db: database.db,
    clock,
    wall_clock: clock,
    log: makeLog({ level: 'silent', show_personal_data: false }),
    storage,
    page_keys: 2,
    pages_per_run: 1,
  });
  const run = () =>
    job.run({ id: '', kind: job.kind, payload: {}, attempts: 0, claims: 1 }, new AbortController().signal);
  return { storage, run };
};
const folderWithUnreferenced = async (count: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-sweep-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const database = await openTestDatabase();
  after(() => database.close());
  const { storage, run } = await startSweeper(folder, database);
  for (let i = 0; i < count; i++) {
    const key = mailObjectKey(i % 2 ? 'raw/in' : 'attachments/in', randomUUID());
    await storage.put(key, Buffer.from('x'), { content_type: 'text/plain', max_bytes: 1 });
    await utimes(join(folder, key), yesterday, yesterday);
  }
  return { folder, database, run };
};
const countUnreferenced = async (folder: string) =>
  (await filesBelow(folder)).filter((key) => /\/in\//.test(key)).length;

test('a sweep runs in small steps and continues where the last process stopped', async () => {
  const { folder, database, run } = await folderWithUnreferenced(10);
  await run();
  assert.equal(await countUnreferenced(folder), 10, 'the first run only marks the owner of the storage');
  const counts: number[] = [];
  while ((counts.at(-1) ?? 10) > 0 && counts.length < 20) {
    await (await startSweeper(folder, database)).run();
    counts.push(await countUnreferenced(folder));
  }
  // Each prefix has five objects, in pages of two.
  assert.deepEqual(counts, [8, 6, 5, 3, 1, 0]);
  const late = mailObjectKey('raw/in', randomUUID());
  const { storage, run: again } = await startSweeper(folder, database);
  await storage.put(late, Buffer.from('x'), { content_type: 'text/plain', max_bytes: 1 });
  await utimes(join(folder, late), yesterday, yesterday);
  await again();
  assert.equal(await countUnreferenced(folder), 1, 'the next sweep starts a day later');
});

test('nothing is removed from a storage that belongs to another database', async () => {
  const { folder, run } = await folderWithUnreferenced(3);
  await run();
  const other = await openTestDatabase();
  after(() => other.close());
  const other_sweeper = await startSweeper(folder, other);
  for (let i = 0; i < 5; i++) await other_sweeper.run();
  assert.equal(await countUnreferenced(folder), 3);
});
