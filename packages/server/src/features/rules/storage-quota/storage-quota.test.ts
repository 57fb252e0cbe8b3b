// The storage quota applies to uploads, received mail and recordings (O5).
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OrganizationStorage } from '@parley/contract/rules/spending/storage';
import type { Client } from '../../../../testing/app.ts';
import { codedSpeech, ended, people, place, timeline } from '../../../../testing/calls.ts';
import { createMailbox, startMailApp } from '../../../../testing/mail-app.ts';
import { deliver, rawMessage, smtpSession } from '../../../../testing/smtp-client.ts';
import { sql } from '../../../platform/db/sql.ts';
import { storageQuota } from './index.ts';

const quota_bytes = 1024 * 1024;
const {
  db,
  url,
  client,
  data_dir,
  later,
  organization,
  smtp_port: port,
} = await startMailApp({ PARLEY_STORAGE_QUOTA_MB: '1' }, { speech: () => codedSpeech() });

async function upload(of: Client, bytes: number) {
  const form = new FormData();
  form.append('file', new Blob([Buffer.alloc(bytes)]), 'file.bin');
  const response = await fetch(`${url}/v1/email-attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${of.key}` },
    body: form,
  });
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code };
}
const refused = { status: 507, code: 'storage_full' };
/** Without the cache of the app, like a process that has just started. */
const left = (of: Client) => storageQuota({ db, quota_mb: 1 }).left(of.organization_id);

test('uploads are accepted up to the quota, and each organization has its own quota (O5)', async () => {
  const [one, other] = [organization(), organization()];
  assert.equal((await upload(one, 600_000)).status, 201);
  assert.deepEqual(await upload(one, 600_000), refused);
  assert.equal((await upload(other, 600_000)).status, 201);
  assert.equal(await left(one), quota_bytes - 600_000);
  assert.equal((await upload(one, quota_bytes - 600_000)).status, 201);
  assert.equal(await left(one), 0);
  assert.deepEqual(await upload(one, 1), refused);
});

test('many uploads at once do not exceed the quota together (O5)', async () => {
  const own = organization();
  const answers = await Promise.all(Array.from({ length: 8 }, () => upload(own, 300_000)));
  const accepted = answers.filter(({ status }) => status === 201);
  assert.equal(accepted.length, 3);
  for (const answer of answers) if (answer.status !== 201) assert.deepEqual(answer, refused);
  assert.equal(await left(own), quota_bytes - 900_000);
  assert.equal(await storedBytes(own), 900_000);
});

test('mail over the quota is deferred as a full mailbox, and accepted mail is counted (O5)', async () => {
  const own = organization();
  const { default_address: to } = await createMailbox(own);
  const raw = rawMessage({ to, body: `${'x'.repeat(70)}\r\n`.repeat(8000) });
  assert.match(await deliver(port, { to, raw }), /^250/);
  assert.ok((await left(own))! <= quota_bytes - raw.length);
  assert.match(await deliver(port, { to, raw }), /^452 4\.2\.2/);
  const by_sandbox = await own.request('POST', '/v1/sandbox/inbound-emails', {
    to: [to],
    body_text: 'x'.repeat(700_000),
  });
  assert.deepEqual([by_sandbox.status, by_sandbox.body.code], [507, 'storage_full']);

  assert.equal((await upload(own, (await left(own))!)).status, 201);
  const session = await smtpSession(port);
  await session.command('MAIL FROM:<bob@example.org>');
  assert.match(await session.command(`RCPT TO:<${to}>`), /^452 4\.2\.2/);
  session.destroy();
});

test('a recording is counted, and not stored if it exceeds the quota, with a reason on the timeline (O5)', async () => {
  const own = organization();
  const first = await place(own, people.hangs_up, { record: true });
  assert.ok((await ended(own, first.id)).recording_url);
  assert.ok((await left(own))! < quota_bytes);

  assert.equal((await upload(own, (await left(own))!)).status, 201);
  const second = await place(own, people.hangs_up, { record: true });
  const call = await ended(own, second.id);
  assert.deepEqual([call.status, call.recording_url], ['completed', null]);
  const entry = (await timeline(own, second.id)).find(({ kind }) => kind === 'not_recorded');
  assert.match(String(entry?.detail.detail), /as much as it may/);
});

test('the fix of a refusal says what to do (O5)', async () => {
  const own = organization();
  assert.equal((await upload(own, quota_bytes)).status, 201);
  const form = new FormData();
  form.append('file', new Blob(['x']), 'file.bin');
  const headers = { authorization: `Bearer ${own.key}` };
  const response = await fetch(`${url}/v1/email-attachments`, { method: 'POST', headers, body: form });
  const { detail, fix } = (await response.json()) as { detail: string; fix: string };
  assert.match(detail, /storage quota/);
  assert.match(fix, /retention.*operator/);
});

test('a superadmin sets the quota of one organization, and its members read how much is used (O5)', async () => {
  const own = client;
  const read = async () => (await own.request<OrganizationStorage>('GET', '/v1/organization/storage')).body;
  const before = await read();
  const allow = async (storage_bytes_max: number | null) => {
    const at = `/v1/admin/organizations/${own.organization_id}`;
    const changed = await own.request('PATCH', at, { storage_bytes_max });
    assert.deepEqual(
      [changed.status, changed.body.storage_bytes_max],
      [200, storage_bytes_max],
      changed.text,
    );
  };
  assert.equal(before.max_bytes, quota_bytes);
  await allow(before.used_bytes + 1000);
  assert.deepEqual(await upload(own, 1001), refused);
  assert.equal((await upload(own, 1000)).status, 201);
  assert.deepEqual(await read(), {
    used_bytes: before.used_bytes + 1000,
    max_bytes: before.used_bytes + 1000,
    left_bytes: 0,
    kinds: { ...before.kinds, attachments: before.kinds.attachments + 1000 },
  });
  await allow(null);
  assert.equal((await upload(own, 1)).status, 201);
});

test('what is counted is what is in the object storage, after everything that stores and deletes (O5)', async () => {
  const own = organization({ credential_kind: 'session' });
  const { default_address: to } = await createMailbox(own);
  const content_base64 = Buffer.alloc(5000, 'a').toString('base64');
  const received = await own.request<{ id: string }>('POST', '/v1/sandbox/inbound-emails', {
    to: [to],
    text: 'With a file',
    attachments: [{ filename: 'a.txt', content_base64 }],
  });
  assert.equal(received.status, 201, received.text);
  assert.equal((await upload(own, 3000)).status, 201);
  const sent = await own.request<{ id: string }>('POST', '/v1/emails', {
    ...{ recipient_consent: true, to: ['ana@example.org'], subject: 'Hello' },
  });
  await own.request('GET', `/v1/emails/${sent.body.id}/raw`);
  const call = await place(own, people.hangs_up, { record: true });
  await ended(own, call.id);
  const counted = async () =>
    (await own.request<OrganizationStorage>('GET', '/v1/organization/storage')).body.used_bytes;
  assert.equal(await counted(), await storedBytes(own));
  assert.ok((await counted()) > 8000);

  const changed = await own.request('PATCH', '/v1/organization/retention', { messages: 1, recordings: 1 });
  assert.equal(changed.status, 200, changed.text);
  await later(2 * 86_400);
  // Uploads that no email has expire after 30 days, with the attachment that the email gave up.
  await later(31 * 86_400);
  await later(3700);
  assert.deepEqual([await counted(), await storedBytes(own)], [0, 0]);
});

test('what was stored before it was counted is counted once, and added up in one row (O5)', async () => {
  const own = organization();
  assert.equal((await upload(own, 4000)).status, 201);
  await db.run(sql`delete from storage_usage where organization_id = ${own.organization_id}`);
  await db.run(sql`delete from storage_count`);
  assert.equal(await left(own), quota_bytes);
  const [job] = storageQuota({ db, quota_mb: 1 }).jobs;
  const run = () =>
    job!.run({ id: '', kind: '', payload: {}, attempts: 0, claims: 1 }, new AbortController().signal);
  await run();
  await run();
  assert.equal(await left(own), quota_bytes - 4000);
  assert.equal((await upload(own, 500)).status, 201);
  await run();
  assert.equal(await left(own), quota_bytes - 4500);
  const rows = await db.rows(
    sql`select slot from storage_usage where organization_id = ${own.organization_id}`,
  );
  assert.deepEqual(rows, [{ slot: -1 }]);
});

test('far from the quota, the numbers of the last seconds are used', async () => {
  let queries = 0;
  const usage = { bytes: 0, max_bytes: null };
  const maybe = async () => {
    queries++;
    return usage;
  };
  const counting = { maybe } as unknown as typeof db;
  const quota = storageQuota({ db: counting, quota_mb: 1000 });
  for (let i = 0; i < 10; i++) await quota.check('any', 1000);
  assert.equal(queries, 1);
  quota.stored('any', 999 * 1024 * 1024);
  await quota.check('any', 1000);
  assert.equal(queries, 2);
});

/** The sizes of the organization's objects on the disk. */
async function storedBytes({ organization_id }: Client): Promise<number> {
  const rows = await db.rows<{ id: string }>(sql`
    select id from emails where organization_id = ${organization_id}
    union all select id from email_attachments where organization_id = ${organization_id}
    union all select id from calls where organization_id = ${organization_id}`);
  const ids = new Set(rows.map(({ id }) => id));
  let bytes = 0;
  for (const file of await readdir(join(data_dir, 'objects'), { recursive: true, withFileTypes: true }))
    if (file.isFile() && ids.has(file.name.slice(0, 36)))
      bytes += (await stat(join(file.parentPath, file.name))).size;
  return bytes;
}
