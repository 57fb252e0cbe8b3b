// The storage quota applies to uploads, received mail and recordings (O5).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../../testing/app.ts';
import { codedSpeech, ended, people, place, timeline } from '../../../testing/calls.ts';
import { createMailbox, startMailApp } from '../../../testing/mail-app.ts';
import { deliver, rawMessage, smtpSession } from '../../../testing/smtp-client.ts';
import { storageQuota } from './index.ts';

const quota_bytes = 1024 * 1024;
const {
  db,
  url,
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
const refused = { status: 507, code: 'storage_quota_exceeded' };
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

test('mail over the quota is refused as a full mailbox, and accepted mail is counted (O5)', async () => {
  const own = organization();
  const { default_address: to } = await createMailbox(own);
  const raw = rawMessage({ to, body: `${'x'.repeat(70)}\r\n`.repeat(8000) });
  assert.match(await deliver(port, { to, raw }), /^250/);
  assert.ok((await left(own))! <= quota_bytes - raw.length);
  assert.match(await deliver(port, { to, raw }), /^552 5\.2\.2/);
  const by_sandbox = await own.request('POST', '/v1/sandbox/inbound-emails', {
    to: [to],
    body_text: 'x'.repeat(700_000),
  });
  assert.deepEqual([by_sandbox.status, by_sandbox.body.code], [507, 'storage_quota_exceeded']);

  assert.equal((await upload(own, (await left(own))!)).status, 201);
  const session = await smtpSession(port);
  await session.command('MAIL FROM:<bob@example.org>');
  assert.match(await session.command(`RCPT TO:<${to}>`), /^552 5\.2\.2/);
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

test('without a quota the database is not queried', async () => {
  const none = storageQuota({ db: {} as never, quota_mb: 0 });
  assert.equal(await none.left('any'), null);
  await none.check('any', Number.MAX_SAFE_INTEGER);
});
