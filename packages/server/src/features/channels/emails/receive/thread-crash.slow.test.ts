// A thread that crashes while it examines a message: the sender must retry, nothing is left behind, and other messages are stored.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';
import { createMailbox, downloadRaw, receivedEmails, startMailApp } from '../../../../../testing/mail-app.ts';
import { deliver, rawMessage } from '../../../../../testing/smtp-client.ts';
import { large_bytes } from './examination/examiner.ts';

/** Every thread that this process starts, reported by Node's diagnostics channel. */
const threads: Worker[] = [];
subscribe('worker_threads', (message) => void threads.push((message as { worker: Worker }).worker));

const { dns, organization, data_dir, smtp_port: port } = await startMailApp();
const own = organization();
const { default_address: to } = await createMailbox(own);
const storedObjects = (kind: string): number => {
  const folder = join(data_dir, 'objects', kind, 'in');
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile()).length;
};

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** Large enough to be transferred to a thread, with an attachment, and signed: the thread waits for DNS to return the key. */
const signedBy = async (domain: string, subject: string): Promise<string> => {
  const line = `${'x'.repeat(70)}\r\n`;
  const raw = rawMessage({
    to,
    subject,
    from: `Bob <bob@${domain}>`,
    headers: ['Content-Type: multipart/mixed; boundary=b'],
    body: `--b\r\nContent-Type: text/csv; name=a.csv\r\n\r\n${line.repeat(large_bytes / 60)}\r\n--b--\r\n`,
  });
  assert.ok(raw.length > large_bytes);
  const { signatures } = await dkimSign(raw, {
    signatureData: [
      {
        signingDomain: domain,
        selector: 's',
        privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      },
    ],
  } as never);
  return signatures + raw;
};
const publish = (domain: string) => {
  const p = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  dns.records.set(`s._domainkey.${domain}`, { TXT: [`v=DKIM1; k=rsa; p=${p}`] });
};

test('a message whose thread crashes gets a temporary error, and other messages are accepted', async () => {
  publish('well.test');
  publish('held.test');
  const raw = await signedBy('held.test', 'Examined twice');
  const dns_query = new Promise<void>((resolve) => dns.held.set('s._domainkey.held.test', resolve));
  const delivery = deliver(port, { to, raw });
  await dns_query;
  assert.equal(threads.length, 1, 'the message is in a thread');
  assert.equal(storedObjects('raw'), 1);

  // Another thread handles the next message.
  assert.match(await deliver(port, { to, raw: await signedBy('well.test', 'Concurrent') }), /^250/);
  await threads[0]!.terminate();
  assert.match(await delivery, /^451 4\.3\.0/);
  assert.deepEqual(
    (await receivedEmails(own)).map(({ subject }) => subject),
    ['Concurrent'],
  );
  assert.deepEqual(
    [storedObjects('raw'), storedObjects('attachments')],
    [1, 1],
    'no object of the refused message is left',
  );

  assert.match(await deliver(port, { to, raw: rawMessage({ to, subject: 'Small' }) }), /^250/);
  dns.held.clear();
  assert.match(await deliver(port, { to, raw }), /^250/);
  const [retried, ...earlier] = await receivedEmails(own);
  assert.deepEqual(
    earlier.map(({ subject }) => subject),
    ['Small', 'Concurrent'],
  );
  assert.equal(retried!.subject, 'Examined twice');
  assert.equal(retried!.dkim_verdict, 'PASS');
  assert.equal(retried!.attachments.length, 1);
  assert.equal(await downloadRaw(own, retried!.id), raw);
});

test('when all threads crash, running and queued messages get a temporary error, and new threads start', async () => {
  const mails = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      publish(`${name}.test`);
      return { name: `s._domainkey.${name}.test`, raw: await signedBy(`${name}.test`, name) };
    }),
  );
  const count_before = (await receivedEmails(own)).length;
  const held = mails
    .slice(0, 2)
    .map(({ name }) => new Promise<void>((resolve) => dns.held.set(name, resolve)));
  const deliveries = mails.slice(0, 2).map(({ raw }) => deliver(port, { to, raw }));
  await Promise.all(held);
  const objects = storedObjects('raw');
  // Both threads are busy: this message is uploaded and waits in the queue.
  const waiting = deliver(port, { to, raw: mails[2]!.raw });
  while (storedObjects('raw') === objects) await new Promise((resolve) => setImmediate(resolve));
  const threads_before = threads.length;
  await Promise.all(threads.map((thread) => thread.terminate()));
  for (const reply of await Promise.all(deliveries)) assert.match(reply, /^451/);
  const third = await waiting;
  assert.match(third, /^(250|451)/);
  dns.held.clear();
  for (const { raw } of mails) assert.match(await deliver(port, { to, raw }), /^250/);
  assert.ok(threads.length > threads_before);
  assert.equal((await receivedEmails(own)).length, count_before + 3, 'each message is stored once');
  assert.equal(storedObjects('raw'), count_before + 3);
  assert.equal(storedObjects('attachments'), count_before + 3 - 1, 'the small message has no attachment');
});
