// Mail from service_mail addresses is signed and sealed with the key of the service, and verifies by DNS.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { authenticate } from 'mailauth';
import { SMTPServer } from 'smtp-server';
import { startTestApp } from '../../../../testing/app.ts';
import { startDns } from '../../../../testing/dns-server.ts';
import { forwardLinks, submitForm } from '../../../../testing/forwards.ts';
import { deliver, rawMessage } from '../../../../testing/smtp-client.ts';
import { buildApp } from '../../../app/app.ts';
import { readConfig } from '../../../config/config.ts';
import { sql } from '../../../platform/db/sql.ts';
import { makeLog } from '../../../platform/log.ts';

const arrived: { from: string; to: string[]; raw: Buffer }[] = [];
const relay = new SMTPServer({
  closeTimeout: 100,
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  async onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
    const raw = (await buffer(stream)) as Buffer;
    arrived.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), raw });
    done();
  },
});
await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
after(() => new Promise<void>((resolve) => relay.close(() => resolve())));

const dns = await startDns();
const environment = {
  PARLEY_SMTP_URL: `smtp://127.0.0.1:${(relay.server.address() as AddressInfo).port}`,
  PARLEY_DNS_SERVERS: dns.address,
  PARLEY_SERVICE_MAIL_DOMAIN: 'mail.parley.test',
};
type Said = { msg: string; dns_name: string; dns_type: string; dns_value: string };
const listening = () => {
  const lines: Said[] = [];
  const log = makeLog({
    level: 'info',
    show_personal_data: false,
    destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
  });
  return { log, record: () => lines.find(({ dns_name }) => dns_name)! };
};

const first = listening();
const master_keys = [{ id: 'test', key: randomBytes(32) }];
const { app, client, organization, db } = await startTestApp(environment, { log: first.log, master_keys });
const sandbox = await startTestApp();
const port = await app.smtp.listen();
after(() => app.smtp.close());

// The DNS record in the start log is all that the operator must publish.
const { dns_name, dns_type, dns_value } = first.record();
assert.equal(dns_type, 'TXT');
dns.records.set(dns_name, { TXT: [dns_value] });
dns.records.set('_dmarc.mail.parley.test', { TXT: ['v=DMARC1; p=reject'] });
dns.records.set('mail.parley.test', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] });

const resolver = new Resolver();
resolver.setServers([dns.address]);
const judge = async ({ raw, from }: { raw: Buffer; from: string }) => {
  const judged = (await authenticate(raw, {
    ip: '127.0.0.1',
    helo: 'mail.parley.test',
    sender: from,
    mta: 'home.test',
    strict: true,
    resolver: (name: string, type: string) => resolver.resolve(name, type),
  } as never)) as unknown as {
    dkim: { results: { status: { result: string; aligned: unknown }; signingDomain: string }[] };
    dmarc: { status: { result: string } };
    arc: { status: { result: string }; signature?: { signingDomain: string } };
  };
  return {
    dkim: judged.dkim.results.map(({ status, signingDomain }) => [signingDomain, status.result]),
    dmarc: judged.dmarc.status.result,
    arc: judged.arc.status.result,
  };
};

const composed = async (of: typeof client, user: string, patch: object = {}) => {
  const created = await of.request<EmailDomain>('POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: user,
    local_prefix_org: 'acme',
  });
  assert.equal(created.status, 201, created.text);
  assert.equal((await of.request('PATCH', `/v1/email-domains/${created.body.id}`, patch)).status, 200);
  return created.body;
};

test('a sandbox send reads no signing key; the message shown later is signed', async () => {
  const keys = () => sandbox.db.rows(sql`select domain from service_mail_keys`);
  const answer = await sandbox.client.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@example.org'],
    subject: 'Simulated',
  });
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(await keys(), []);
  const link = await sandbox.client.request('GET', `/v1/emails/${answer.body.id}/raw`);
  assert.match(
    await (await fetch(link.headers.get('location')!)).text(),
    /^DKIM-Signature: .* d=sandbox\.test;/,
  );
  assert.deepEqual(await keys(), [{ domain: 'sandbox.test' }]);
});

test('an email from a service_mail address has a signature that the published record verifies', async () => {
  const own = organization();
  await composed(own, 'ana');
  const answer = await own.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@home.test'],
    subject: 'Grüße',
    body_text: 'Signed by the service.',
  });
  assert.equal(answer.status, 201, answer.text);
  const sent = arrived.find(({ raw }) => raw.includes(answer.body.id))!;
  const expected = { dkim: [['mail.parley.test', 'pass']], dmarc: 'pass', arc: 'none' };
  assert.deepEqual(await judge(sent), expected);
  const altered = Buffer.from(sent.raw.toString('latin1').replace('Signed by', 'Forged by'), 'latin1');
  assert.notDeepEqual((await judge({ ...sent, raw: altered })).dkim, expected.dkim);

  const link = await own.request('GET', `/v1/emails/${answer.body.id}/raw`);
  const raw = await (await fetch(link.headers.get('location')!)).bytes();
  assert.deepEqual(Buffer.from(raw), sent.raw, 'composed again it is the same message');
});

test('a message that a service_mail address forwards is sealed, and the next server accepts the seal', async () => {
  const own = organization();
  const { default_address: to } = await composed(own, 'fwd', { forward_to: ['ana@home.test'] });
  await app.jobs.drain();
  const request_mail = arrived.find(({ to: [reader] }) => reader === 'ana@home.test')!;
  await submitForm(forwardLinks(request_mail.raw.toString())!.confirm);
  arrived.length = 0;
  const raw = rawMessage({ to, from: 'Bob <bob@example.org>' });
  assert.match(await deliver(port, { to, raw }), /^250/);
  await app.jobs.drain();
  const passed = arrived.find(({ to: [reader] }) => reader === 'ana@home.test')!;
  assert.equal((await judge(passed)).arc, 'pass');
  assert.match(passed.raw.toString(), /ARC-Seal: i=1;[\s\S]*?d=mail\.parley\.test/);
  assert.ok(passed.raw.toString().endsWith(raw), 'not one byte of the message was changed');
  const altered = Buffer.from(passed.raw.toString().replace('Good morning.', 'Good evening.'));
  assert.notEqual((await judge({ ...passed, raw: altered })).arc, 'pass');
});

test('all processes of a database use one key, which is stored sealed', async () => {
  const start = async (domain: string) => {
    const { log, record } = listening();
    const config = readConfig(
      { ...environment, PORT: '0', PARLEY_SERVICE_MAIL_DOMAIN: domain, PARLEY_DATA_DIR: '/nowhere' },
      process.cwd(),
    );
    const another = buildApp({ config, db, log, shared_key: null, master_keys });
    await another.prepare();
    await another.http.close();
    await another.close();
    return record();
  };
  assert.deepEqual((await start('mail.parley.test')).dns_value, dns_value);
  // Processes that create a key concurrently use the same one too.
  const [one, two, three] = await Promise.all(Array.from({ length: 3 }, () => start('new.parley.test')));
  assert.equal(one!.dns_name, two!.dns_name);
  assert.deepEqual([two!.dns_value, three!.dns_value], [one!.dns_value, one!.dns_value]);
  assert.notEqual(one!.dns_value, dns_value);

  const rows = await db.rows<{ private_key: string }>(sql`select private_key from service_mail_keys`);
  assert.equal(rows.length, 2);
  for (const { private_key } of rows) assert.match(private_key, /^v1\.test\.[\w-]+\.[\w-]+$/);
});
