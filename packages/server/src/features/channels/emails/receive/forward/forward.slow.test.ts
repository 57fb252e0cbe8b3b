// Forwarding of received mail: return path, ARC seal, bounces, rate limit, and no loops.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { authenticate } from 'mailauth';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';
import { SMTPServer } from 'smtp-server';
import type { Client } from '../../../../../../testing/app.ts';
import { forwardLinks, submitForm } from '../../../../../../testing/forwards.ts';
import { createMailbox, startMailApp } from '../../../../../../testing/mail-app.ts';
import { deliver, rawMessage } from '../../../../../../testing/smtp-client.ts';
import { sql } from '../../../../../platform/db/sql.ts';
import { forward_job } from './forward-job.ts';

/** The SMTP server that forwards are sent to. */
const arrived: { from: string; to: string[]; raw: Buffer }[] = [];
let refuse = '';
const sink = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  logger: false,
  async onData(stream, { envelope }, done) {
    const raw = await buffer(stream);
    if (refuse)
      return done(Object.assign(new Error(refuse.slice(4)), { responseCode: Number(refuse.slice(0, 3)) }));
    const { mailFrom, rcptTo } = envelope;
    arrived.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), raw });
    done();
  },
});
sink.listen(0, '127.0.0.1');
await once(sink.server, 'listening');
after(() => sink.close());

const {
  app,
  operator,
  db,
  dns,
  organization,
  later,
  smtp_port: port,
} = await startMailApp({
  PARLEY_SMTP_URL: `smtp://127.0.0.1:${(sink.server.address() as AddressInfo).port}`,
  PARLEY_SANDBOX: 'on',
});

type Domain = {
  id: string;
  default_address: string;
  dns_records: { name: string; type: string; value: string }[];
};
/** Confirms every forward address whose confirmation mail arrived. */
const confirmForwards = async () => {
  await app.jobs.drain();
  for (const { raw } of arrived) {
    const links = forwardLinks(raw.toString());
    if (links) assert.equal((await submitForm(links.confirm)).status, 200);
  }
  arrived.length = 0;
};
const forwardingMailbox = async (of: Client, patch: object) => {
  const mailbox = await createMailbox(of);
  const response = await of.request('PATCH', `/v1/email-domains/${mailbox.id}`, patch);
  assert.equal(response.status, 200, response.text);
  await confirmForwards();
  return mailbox;
};
/** A custom domain, verified by the local DNS server. */
const customDomain = async (of: Client, domain: string, patch: object): Promise<Domain> => {
  const { body } = await of.request<Domain>('POST', '/v1/email-domains', { kind: 'custom', domain });
  for (const { name, type, value } of body.dns_records) {
    const existing = dns.records.get(name) ?? {};
    dns.records.set(
      name,
      type === 'TXT'
        ? { ...existing, TXT: [value] }
        : { ...existing, MX: [{ exchange: value, priority: 10 }] },
    );
  }
  assert.equal((await of.request('POST', `/v1/email-domains/${body.id}/verify`)).status, 200);
  await of.request('PATCH', `/v1/email-domains/${body.id}`, patch);
  await confirmForwards();
  return body;
};
/** The event types of an organization, or their reasons, sorted; without conversations, whose events follow later. */
const publishedEvents = async (of: Client) =>
  (await of.request<{ items: { type: string; data: { reason?: string } }[] }>('GET', '/v1/events')).body.items
    .filter(({ type }) => !type.startsWith('conversation.'))
    .map(({ type, data }) => data.reason ?? type)
    .sort();
const timeline = async (of: Client) => {
  const { body } = await of.request<{ items: Email[] }>('GET', '/v1/emails?direction=inbound');
  const entries = await of.request<{ items: { kind: string; detail: Record<string, unknown> }[] }>(
    'GET',
    `/v1/emails/${body.items[0]!.id}/events`,
  );
  return entries.body.items;
};
/** Delivers a message, runs all jobs, and returns the forwards. */
const forward = async (mail: Parameters<typeof deliver>[1]) => {
  arrived.length = 0;
  assert.match(await deliver(port, mail), /^250/);
  await app.jobs.drain();
  return arrived;
};

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
dns.records.set('good.test', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] });
dns.records.set('_dmarc.good.test', { TXT: ['v=DMARC1; p=reject'] });
dns.records.set('s._domainkey.good.test', {
  TXT: [`v=DKIM1; k=rsa; p=${rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`],
});

describe('a forwarded message', () => {
  test('arrives unchanged, with our return path and an ARC seal, and passes all checks at the next server', async () => {
    const own = organization();
    await customDomain(own, 'sealed.test', { forward_to: ['Ana <ana@home.test>', 'backup@home.test'] });
    const raw = rawMessage({
      to: 'hello@sealed.test',
      from: 'Bob <bob@good.test>',
      body: 'Hi.\r\n.dot\r\n\r\n',
    });
    const { signatures } = await dkimSign(raw, {
      signatureData: [
        {
          signingDomain: 'good.test',
          selector: 's',
          privateKey: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }),
        },
      ],
    } as never);
    const [mail, ...more] = await forward({
      from: 'bob@good.test',
      to: 'hello@sealed.test',
      raw: signatures + raw,
    });
    assert.deepEqual(more, []);
    assert.deepEqual(mail!.to, ['ana@home.test', 'backup@home.test']);
    assert.match(mail!.from, /^srs0=[a-z2-7]{39}@bounce\.sealed\.test$/);
    assert.ok(mail!.raw.toString().endsWith(signatures + raw), 'the message is unchanged');
    const { dkim, spf, dmarc, arc } = await authenticate(mail!.raw, {
      ip: '127.0.0.1',
      helo: 'mail.localhost',
      sender: mail!.from,
      mta: 'home.test',
      strict: true,
      resolver: resolveLocally,
    } as never);
    assert.deepEqual(
      (dkim as { results: { status: { result: string } }[] }).results.map(({ status }) => status.result),
      ['pass'],
    );
    assert.equal((arc as { status: { result: string } }).status.result, 'pass');
    assert.equal((dmarc as { status: { result: string } }).status.result, 'pass');
    assert.notEqual((spf as { status: { result: string } }).status.result, 'fail');
    assert.match(mail!.raw.toString(), /ARC-Authentication-Results: i=1; mail\.localhost;[\s\S]*?dkim=pass/);
    assert.deepEqual(
      (await timeline(own)).map(({ kind }) => kind),
      ['received', 'forwarded'],
    );
    assert.deepEqual(await publishedEvents(own), ['email.received']);
  });

  test('that bounces gets an entry on its timeline, and the bounce is not sent on', async () => {
    const own = organization();
    const { default_address: to } = await forwardingMailbox(own, { forward_to: ['gone@home.test'] });
    const [mail] = await forward({ to, raw: rawMessage({ to }) });
    const bounce = [
      'From: MAILER-DAEMON@home.test',
      'Subject: Undelivered',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b\r\nContent-Type: message/delivery-status\r\n',
      'Reporting-MTA: dns; home.test\r\n',
      'Final-Recipient: rfc822; gone@home.test\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--b--\r\n',
    ].join('\r\n');
    assert.deepEqual(await forward({ from: '', to: mail!.from, raw: bounce }), []);
    const entries = await timeline(own);
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ['received', 'forwarded', 'forward_failed'],
    );
    assert.deepEqual(entries[2]!.detail.recipients, ['gone@home.test']);
  });

  test('stores an unreadable message to its return path (M5)', async () => {
    const own = organization();
    const { default_address: to } = await forwardingMailbox(own, { forward_to: ['ana@home.test'] });
    const [mail] = await forward({ to, raw: rawMessage({ to }) });
    const raw = rawMessage({ to: mail!.from, from: 'ana@home.test', body: 'What is this?' });
    assert.deepEqual(await forward({ from: '', to: mail!.from, raw }), []);
    const entries = await timeline(own);
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ['received', 'forwarded', 'unreadable_report'],
    );
  });

  test('is retried after a temporary error, and fails after a permanent one', async () => {
    const own = organization();
    const { default_address: to } = await forwardingMailbox(own, { forward_to: ['ana@home.test'] });
    refuse = '451 Busy';
    assert.deepEqual(await forward({ to, raw: rawMessage({ to }) }), []);
    refuse = '';
    await later(60);
    assert.equal(arrived.length, 1);
    refuse = '554 Never';
    await forward({ to, raw: rawMessage({ to, subject: 'Refused' }) });
    refuse = '';
    assert.deepEqual(
      (await timeline(own)).map(({ kind }) => kind),
      ['received', 'forward_failed'],
    );
  });
});

describe('a forward that fails for a reason that may pass', () => {
  const kinds = async (of: Client) => (await timeline(of)).map(({ kind }) => kind);
  const minutes = 60;
  const waitedForADay = async ({ organization_id }: Client) => {
    await db.run(sql`
      update email_forwards set forwarded_at = forwarded_at - interval '1 day' where organization_id = ${organization_id}`);
    await later(10 * minutes);
  };

  test('is tried again for a day, and then fails with an entry on the timeline', async () => {
    const own = organization();
    const { default_address: to } = await forwardingMailbox(own, { forward_to: ['ana@home.test'] });
    refuse = '451 Busy';
    await forward({ to, raw: rawMessage({ to }) });
    await db.run(sql`update jobs set attempts = 100 where kind = ${forward_job}`);
    await later(10 * minutes);
    assert.deepEqual(await kinds(own), ['received']);
    refuse = '';
    await later(10 * minutes);
    assert.deepEqual(await kinds(own), ['received', 'forwarded']);

    refuse = '451 Busy';
    await forward({ to, raw: rawMessage({ to, subject: 'Never taken' }) });
    await waitedForADay(own);
    refuse = '';
    assert.deepEqual(await kinds(own), ['received', 'forward_failed']);
  });

  test('also when its message cannot be read from the storage', async () => {
    const own = organization();
    const { default_address: to } = await forwardingMailbox(own, { forward_to: ['ana@home.test'] });
    await operator.request('PATCH', '/v1/admin/kill-switch', { emails: true });
    await forward({ to, raw: rawMessage({ to, subject: 'Unreadable' }) });
    await db.run(
      sql`update emails set raw_key = 'raw/in/00/missing' where organization_id = ${own.organization_id}`,
    );
    await operator.request('PATCH', '/v1/admin/kill-switch', { emails: false });
    await waitedForADay(own);
    assert.deepEqual(await kinds(own), ['received', 'forward_failed']);
  });
});

describe('a message is not forwarded', () => {
  test('in a loop: to the same address, when it was forwarded before, or after too many hops', async () => {
    const own = organization();
    const { id, default_address: to } = await forwardingMailbox(own, { forward_to: ['ana@home.test'] });
    const [mail] = await forward({ to, raw: rawMessage({ to }) });
    assert.equal(
      (await forward({ to, raw: mail!.raw.toString().replace('Message-ID: <', 'Message-ID: <2') })).length,
      0,
    );
    const hops = Array.from({ length: 30 }, () => 'Received: from a by b; Sun, 15 Nov 2026 10:00:00 +0000');
    assert.equal((await forward({ to, raw: rawMessage({ to, headers: hops }) })).length, 0);
    await own.request('PATCH', `/v1/email-domains/${id}`, { forward_to: [to.replace('@', '+again@')] });
    assert.equal((await forward({ to, raw: rawMessage({ to }) })).length, 0);
    assert.deepEqual(await publishedEvents(own), [
      ...Array(4).fill('email.received'),
      ...Array(3).fill('forward_loop'),
    ]);
  });

  test('without end between two of our domains that forward to each other', async () => {
    const own = organization();
    const a = await forwardingMailbox(own, {});
    const b = await forwardingMailbox(own, { forward_to: [a.default_address] });
    await own.request('PATCH', `/v1/email-domains/${a.id}`, { forward_to: [b.default_address] });
    let at = [a, b];
    let raw = rawMessage({ to: a.default_address });
    let rounds = 0;
    for (; rounds < 10; rounds++) {
      const [mail] = await forward({ to: at[0]!.default_address, raw });
      if (!mail) break;
      assert.deepEqual(mail.to, [at[1]!.default_address]);
      raw = mail.raw.toString();
      at = at.toReversed();
    }
    assert.ok(rounds <= 2, `${rounds} rounds`);
  });

  test('when it is an automatic reply', async () => {
    const own = organization();
    const { default_address: to } = await forwardingMailbox(own, { forward_to: ['ana@home.test'] });
    assert.equal((await forward({ from: '', to, raw: rawMessage({ to }) })).length, 0);
    const headers = ['Auto-Submitted: auto-replied'];
    assert.equal((await forward({ to, raw: rawMessage({ to, headers }) })).length, 0);
  });

  test('more often per hour than the domain allows, and again an hour later', async () => {
    const own = organization();
    const { default_address: to } = await forwardingMailbox(own, {
      forward_to: ['ana@home.test'],
      forward_rate_per_hour: 2,
    });
    let forwarded = 0;
    for (let i = 0; i < 4; i++) forwarded += (await forward({ to, raw: rawMessage({ to }) })).length;
    assert.equal(forwarded, 2);
    assert.deepEqual(await publishedEvents(own), [
      ...Array(4).fill('email.received'),
      ...Array(2).fill('forward_rate_limit'),
    ]);
    await later(3700);
    assert.equal((await forward({ to, raw: rawMessage({ to }) })).length, 1);
  });

  test('twice after a repeated delivery, but once by each domain that received it', async () => {
    const own = organization();
    const one = await forwardingMailbox(own, { forward_to: ['one@home.test'] });
    const two = await forwardingMailbox(own, { forward_to: ['two@home.test'] });
    const raw = rawMessage({ to: `${one.default_address}, ${two.default_address}` });
    assert.deepEqual(
      (await forward({ to: one.default_address, raw })).map(({ to }) => to),
      [['one@home.test']],
    );
    assert.deepEqual(await forward({ to: one.default_address, raw }), []);
    assert.deepEqual(
      (await forward({ to: two.default_address, raw })).map(({ to }) => to),
      [['two@home.test']],
    );
    const list = await own.request<{ items: unknown[] }>('GET', '/v1/emails?direction=inbound');
    assert.equal(list.body.items.length, 1);
  });
});

async function resolveLocally(name: string, type: string) {
  const { Resolver } = await import('node:dns/promises');
  const resolver = new Resolver();
  resolver.setServers([dns.address]);
  return resolver.resolve(name, type);
}
