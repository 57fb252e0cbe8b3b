// A backup is restored elsewhere: everything is there, work goes on, and no message is sent a second time, although the old
// service went on after the backup.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTwilio, twilio_account, twilio_token } from '../../packages/server/testing/carriers/twilio.ts';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { startMailSink } from './mail-sink.ts';
import { current_main, makeHome, until } from './process.ts';

const master_key = Buffer.alloc(32, 1).toString('base64');

/** A mail relay that accepts every message, but replies only when the test calls `release`. */
async function heldRelay(t: { after(done: () => Promise<void>): void }) {
  const received: string[] = [];
  const held: (() => void)[] = [];
  const url = await startMailSink(t, ({ raw, accept }) => {
    received.push(raw);
    held.push(accept);
  });
  const release = () => {
    for (const answer of held.splice(0)) answer();
  };
  return { url, received, release };
}

test('a backup of a running service, restored elsewhere', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-backup-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [old_database, new_database] = [await createDatabase(), await createDatabase('empty')];
  t.after(old_database.drop);
  t.after(new_database.drop);
  const relay = await heldRelay(t);
  const twilio = await startTwilio();
  t.after(() => twilio.close());
  const common = {
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-test-knows',
    PARLEY_MASTER_KEY: master_key,
    PARLEY_SMTP_URL: relay.url,
    PARLEY_EMAIL_TIMEOUT_SECONDS: '60',
    PARLEY_SERVICE_MAIL_DOMAIN: 'mail.example.com',
    PARLEY_SERVICE_MAIL_PREFIX_USER: 'agent',
    PARLEY_SERVICE_MAIL_PREFIX_ORG: 'house',
    PARLEY_SANDBOX: 'on',
    PARLEY_CARRIER: 'twilio',
    TWILIO_ACCOUNT_SID: twilio_account,
    TWILIO_AUTH_TOKEN: twilio_token,
    TWILIO_BASE_URL: twilio.url,
  };
  const old_home = makeHome(t);
  const new_home = makeHome(t);
  const old_settings = {
    ...common,
    DATABASE_URL: old_database.url,
    PARLEY_STORAGE: 'folder',
    PARLEY_DATA_DIR: old_home.data_dir,
  };
  const new_settings = {
    ...common,
    DATABASE_URL: new_database.url,
    PARLEY_STORAGE: 'folder',
    PARLEY_DATA_DIR: new_home.data_dir,
  };
  const command = (settings: Record<string, string>, ...args: string[]) =>
    promisify(execFile)(process.execPath, [current_main, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...settings },
    });

  const api = await old_home.start({ ...old_settings, PARLEY_ROLES: 'api' });
  const contact = await api.request('POST', '/v1/contacts', { name: 'Ana', email: 'ana@example.com' });
  assert.equal(contact.status, 201, contact.text);
  const hidden = 'a-provider-key-that-must-survive';
  const provider = {
    provider: 'openai-compatible',
    api_key: hidden,
    params: { base_url: 'http://127.0.0.1:1' },
  };
  assert.equal((await api.request('PUT', '/v1/providers/llm', provider)).status, 200);
  const form = new FormData();
  form.set('file', new Blob(['content of the attachment']), 'notes.txt');
  const upload = await fetch(`${api.url}/v1/email-attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.key}` },
    body: form,
  });
  assert.equal(upload.status, 201, await upload.clone().text());
  const attachment = (await upload.json()) as { id: string };
  assert.equal((await api.request('POST', '/v1/email-domains', { kind: 'service_mail' })).status, 201);

  const number = await api.request('POST', '/v1/numbers', { country_code: 'US', e164: '+14155550101' });
  assert.equal(number.status, 201, number.text);

  // Without a worker the text stays queued; the email is in the hands of the relay.
  const text = await api.request('POST', '/v1/sms', {
    to: '+14155552671',
    body: 'Once only',
    recipient_consent: true,
  });
  assert.equal(text.status, 201, text.text);
  const email = { recipient_consent: true, to: ['ben@example.org'], subject: 'Once only' };
  const sending = api.request('POST', '/v1/emails', email, { 'idempotency-key': 'mail' });
  await until(() => relay.received.length === 1);

  const made = await command(old_settings, 'backup', join(folder, 'backup'));
  assert.match(made.stdout, /contacts: 1 row\n[\s\S]*objects: 1[\s\S]*Backed up \d+ rows and 1 object to/);

  await t.test(
    'the backup does not contain the master key, and an existing one is not overwritten',
    async () => {
      for (const name of readdirSync(join(folder, 'backup'), { recursive: true, withFileTypes: true }))
        if (name.isFile()) assert.ok(!readFileSync(join(name.parentPath, name.name)).includes(master_key));
      await assert.rejects(command(old_settings, 'backup', join(folder, 'backup')), /is not empty/);
    },
  );

  // The old service goes on: it sends what was queued, and then it is gone.
  relay.release();
  assert.equal((await sending).status, 201);
  const worker = old_home.launch({ ...old_settings, PARLEY_ROLES: 'worker' });
  await until(() => twilio.messages.length === 1);
  await worker.stop();
  await api.stop();

  await t.test('a restore needs the master key of the backup, and an empty database', async () => {
    const other_key = { ...new_settings, PARLEY_MASTER_KEY: Buffer.alloc(32, 2).toString('base64') };
    await assert.rejects(command(other_key, 'restore', join(folder, 'backup')), /sealed with the master key/);
    await assert.rejects(command(old_settings, 'restore', join(folder, 'backup')), /has used this database/);
  });

  const restored = await command(new_settings, 'restore', join(folder, 'backup'));
  assert.match(restored.stdout, /1 text and 0 calls were not finished[\s\S]*Restored the backup of/);
  const service = await new_home.start({ ...new_settings, PARLEY_ROLES: 'api,worker' });

  await t.test('everything is there', async () => {
    assert.deepEqual((await service.request('GET', `/v1/contacts/${contact.body.id}`)).body, contact.body);
    const probe = await service.request('POST', '/v1/providers/llm/test', {});
    assert.equal(probe.body.error, 'connection_failed', 'the stored key opens');
    const again = { ...email, attachment_ids: [attachment.id], subject: 'With the attachment' };
    const answer = service.request('POST', '/v1/emails', again);
    await until(() => relay.received.length === 2);
    relay.release();
    assert.equal((await answer).status, 201, (await answer).text);
    assert.match(relay.received[1]!, /notes\.txt/);
  });

  await t.test('the queued text is found at the carrier instead of sent again', async () => {
    await until(
      async () => (await service.request('GET', `/v1/sms/${text.body.id}`)).body.status !== 'queued',
    );
    assert.equal(twilio.messages.length, 1);
  });

  await t.test('the email in hand-over becomes unconfirmed, and its key sends nothing', async () => {
    const moved = await service.request('POST', '/v1/sandbox/clock', { advance_seconds: 120 });
    assert.equal(moved.status, 200, moved.text);
    await until(async () => {
      const replay = await service.request('POST', '/v1/emails', email, { 'idempotency-key': 'mail' });
      return replay.body.code === 'email_unconfirmed';
    });
    assert.equal(relay.received.filter((raw) => raw.includes('Once only')).length, 1);
  });
});
