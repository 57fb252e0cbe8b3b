// A thread that dies while it examines a message: the message is not lost, not half stored, and others go on.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import type { Email } from '@parley/contract/email-records';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';
import { startTestApp } from '../../../../testing/app.ts';
import { startDns } from '../../../../testing/dns-server.ts';
import { deliver, letter } from '../../../../testing/smtp-client.ts';
import { large_bytes } from './examination/examiner.ts';

/** Every thread that this process starts, as Node tells of them. */
const threads: Worker[] = [];
subscribe('worker_threads', (message) => void threads.push((message as { worker: Worker }).worker));

const dns = await startDns();
const { app, organization, data_dir } = await startTestApp({ PARLEY_DNS_SERVERS: dns.address });
const port = await app.smtp.listen();
after(() => app.smtp.close());

const own = organization();
const box = await own.request<{ default_address: string }>('POST', '/v1/email-domains', {
  kind: 'service_mail',
  local_prefix_user: 'ana',
  local_prefix_org: 'acme',
});
const to = box.body.default_address;
const received = async (): Promise<Email[]> => {
  const list = await own.request<{ items: { id: string }[] }>('GET', '/v1/emails?direction=inbound');
  return Promise.all(
    list.body.items.map(async ({ id }) => (await own.request<Email>('GET', `/v1/emails/${id}`)).body),
  );
};
const stored = (kind: string): number => {
  const folder = join(data_dir, 'objects', kind, 'in');
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile()).length;
};

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** Large enough for a thread, with a file, and signed: the thread asks DNS for the key and waits. */
const signedBy = async (domain: string, subject: string): Promise<string> => {
  const line = `${'x'.repeat(70)}\r\n`;
  const raw = letter({
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

test('a message whose thread dies is asked for again, while others go on', async () => {
  publish('well.test');
  publish('held.test');
  const raw = await signedBy('held.test', 'Examined twice');
  const asked = new Promise<void>((resolve) => dns.held.set('s._domainkey.held.test', resolve));
  const answer = deliver(port, { to, raw });
  await asked;
  assert.equal(threads.length, 1, 'the message is in a thread now');
  assert.equal(stored('raw'), 1);

  // Another thread works beside it, and small messages need none.
  assert.match(await deliver(port, { to, raw: await signedBy('well.test', 'Beside') }), /^250/);
  await threads[0]!.terminate();
  assert.match(await answer, /^451 4\.3\.0/);
  assert.deepEqual(
    (await received()).map(({ subject }) => subject),
    ['Beside'],
  );
  assert.deepEqual([stored('raw'), stored('attachments')], [1, 1], 'nothing of the message is left');

  assert.match(await deliver(port, { to, raw: letter({ to, subject: 'Small' }) }), /^250/);
  dns.held.clear();
  assert.match(await deliver(port, { to, raw }), /^250/);
  const [again, ...before] = await received();
  assert.deepEqual(
    before.map(({ subject }) => subject),
    ['Small', 'Beside'],
  );
  assert.equal(again!.subject, 'Examined twice');
  assert.equal(again!.dkim_verdict, 'PASS');
  assert.equal(again!.attachments.length, 1);
  const link = await own.request('GET', `/v1/emails/${again!.id}/raw`);
  assert.equal(await (await fetch(link.headers.get('location')!)).text(), raw);
});

test('when all threads die, those they worked on and those in line are asked for again, and new threads start', async () => {
  const mails = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      publish(`${name}.test`);
      return { name: `s._domainkey.${name}.test`, raw: await signedBy(`${name}.test`, name) };
    }),
  );
  const known = (await received()).length;
  const held = mails
    .slice(0, 2)
    .map(({ name }) => new Promise<void>((resolve) => dns.held.set(name, resolve)));
  const answers = mails.slice(0, 2).map(({ raw }) => deliver(port, { to, raw }));
  await Promise.all(held);
  const objects = stored('raw');
  // Both threads are taken: this one is stored and waits for its turn.
  const waiting = deliver(port, { to, raw: mails[2]!.raw });
  while (stored('raw') === objects) await new Promise((resolve) => setImmediate(resolve));
  const before = threads.length;
  await Promise.all(threads.map((thread) => thread.terminate()));
  for (const answer of await Promise.all(answers)) assert.match(answer, /^451/);
  const third = await waiting;
  assert.match(third, /^(250|451)/);
  dns.held.clear();
  for (const { raw } of mails) assert.match(await deliver(port, { to, raw }), /^250/);
  assert.ok(threads.length > before);
  assert.equal((await received()).length, known + 3, 'each once');
  assert.equal(stored('raw'), known + 3);
  assert.equal(stored('attachments'), known + 3 - 1, 'the small one has no file');
});
