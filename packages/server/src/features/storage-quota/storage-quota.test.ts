// How much an organization may store, over every way that stores something (O5).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Client, startTestApp } from '../../../testing/app.ts';
import { codedSpeech, ended, people, place, timeline } from '../../../testing/calls.ts';
import { startDns } from '../../../testing/dns-server.ts';
import { deliver, rawMessage, smtpSession } from '../../../testing/smtp-client.ts';
import { storageQuota } from './index.ts';

const quota_bytes = 1024 * 1024;
const dns = await startDns();
const { app, db, url, organization } = await startTestApp(
  { PARLEY_STORAGE_QUOTA_MB: '1', PARLEY_DNS_SERVERS: dns.address },
  { speech: () => codedSpeech() },
);
const port = await app.smtp.listen();
after(() => app.smtp.close());

async function upload(of: Client, bytes: number) {
  const form = new FormData();
  form.append('file', new Blob([Buffer.alloc(bytes)]), 'file.bin');
  const answer = await fetch(`${url}/v1/email-attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${of.key}` },
    body: form,
  });
  const { code } = (await answer.json()) as { code?: string };
  return { status: answer.status, code };
}
const refused = { status: 507, code: 'storage_quota_exceeded' };
/** As a process sees it that has just started. */
const left = (of: Client) => storageQuota({ db, quota_mb: 1 }).left(of.organization_id);

async function mailbox(of: Client): Promise<string> {
  const made = await of.request<{ default_address: string }>('POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: `ana${of.organization_id.slice(0, 8)}`,
    local_prefix_org: 'acme',
  });
  return made.body.default_address;
}

test('uploads are taken as long as they fit, and each organization has its own room (O5)', async () => {
  const [one, other] = [organization(), organization()];
  assert.equal((await upload(one, 600_000)).status, 201);
  assert.deepEqual(await upload(one, 600_000), refused);
  assert.equal((await upload(other, 600_000)).status, 201);
  assert.equal(await left(one), quota_bytes - 600_000);
  assert.equal((await upload(one, quota_bytes - 600_000)).status, 201);
  assert.equal(await left(one), 0);
  assert.deepEqual(await upload(one, 1), refused);
});

test('mail that does not fit is refused as a full mailbox, what fits is counted (O5)', async () => {
  const own = organization();
  const to = await mailbox(own);
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

test('a recording is counted, and left out with a reason where it does not fit (O5)', async () => {
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

test('without a quota nothing is asked', async () => {
  const none = storageQuota({ db: {} as never, quota_mb: 0 });
  assert.equal(await none.left('any'), null);
  await none.check('any', Number.MAX_SAFE_INTEGER);
});
