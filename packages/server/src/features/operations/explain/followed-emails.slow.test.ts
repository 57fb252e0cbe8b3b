// Failures of emails over scripted relays, and delivery reports about them: explain names the culprit, a script follows the fix.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { describe } from 'node:test';
import type { Client, TestApp } from '../../../../testing/app.ts';
import { expected, type FollowedFix, followFixes, verdictOf } from '../../../../testing/followed-fixes.ts';
import { freePort } from '../../../../testing/free-port.ts';
import { startAppBefore, startRelayedApp } from '../../../../testing/relayed-app.ts';
import { relayOf } from '../../../../testing/scripted-relay.ts';

let is_repaired = false;
const whenRepaired = (socket: Socket, otherwise: () => void) =>
  is_repaired ? void socket.write('250 2.1.5 Ok\r\n') : otherwise();
/** The relay does not work until the fix is followed. */
const broken = (of: Client, to: string) => {
  is_repaired = false;
  return notSent(of, to);
};
const repaired = (of: Client, to: string) => {
  is_repaired = true;
  return sent(of, to);
};

const main = await startRelayedApp(
  {
    answers: {
      'RCPT TO:<refused@': '550 5.1.1 No such user',
      'RCPT TO:<closes@': (socket) => whenRepaired(socket, () => socket.destroy()),
      'RCPT TO:<slow@': (socket) => whenRepaired(socket, () => {}),
    },
  },
  // Long enough for a busy machine, short enough for the relay that never responds.
  { PARLEY_EMAIL_TIMEOUT_SECONDS: '5' },
);
const { relay, client } = main;

type Item = { id: string };
const emailTo = (to: string) => ({ to: [to], subject: 'Hello', body_text: 'Hi', recipient_consent: true });
const newest = async (of: Client) =>
  (await expected<{ items: Item[] }>(200, of, 'GET', '/v1/emails')).items[0]!.id;
async function notSent(of: Client, to: string): Promise<string> {
  await expected(502, of, 'POST', '/v1/emails', emailTo(to));
  return newest(of);
}
const sent = async (of: Client, to: string): Promise<string> =>
  (await expected<Item>(201, of, 'POST', '/v1/emails', emailTo(to))).id;

/** The return path of the last message that the relay was given: reports come to it. */
const returnPath = (of: typeof relay) =>
  /<([^>]+)>/.exec(of.said().findLast((line) => line.startsWith('MAIL FROM'))!)![1]!;
const report = (recipient: string, [action, status]: [action: string, status: string]) =>
  Buffer.from(
    [
      'From: MAILER-DAEMON@relay.test',
      'Subject: Delivery report',
      `Message-ID: <${randomUUID()}@relay.test>`,
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b\r\nContent-Type: message/delivery-status\r\n',
      'Reporting-MTA: dns; relay.test\r\n',
      `Final-Recipient: rfc822; ${recipient}\r\nAction: ${action}\r\nStatus: ${status}\r\n`,
      '--b--\r\n',
    ].join('\r\n'),
  );
const complaint = (recipient: string) =>
  Buffer.from(
    [
      'From: abuse@provider.test',
      'Subject: Complaint',
      `Message-ID: <${randomUUID()}@provider.test>`,
      'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
      '',
      '--b\r\nContent-Type: message/feedback-report\r\n',
      `Feedback-Type: abuse\r\nUser-Agent: Test/1\r\nVersion: 1\r\nOriginal-Rcpt-To: ${recipient}\r\n`,
      '--b--\r\n',
    ].join('\r\n'),
  );
const comeIn = async ({ app }: Pick<TestApp, 'app'>, recipient: string, raw: Buffer) =>
  assert.equal(await app.mail_reports.recordFromReturnPath({ recipient, raw }), 1);
/** Sends to this address; a report about it comes back. */
async function reported(to: string, raw: Buffer): Promise<string> {
  const id = await sent(client, to);
  await comeIn(main, returnPath(relay), raw);
  return id;
}
const delivered = (to: string) => reported(to, report(to, ['delivered', '2.0.0']));
const isSuppressed = async (to: string) => {
  const refused = await expected<{ code: string }>(422, client, 'POST', '/v1/emails', emailTo(to));
  assert.equal(refused.code, 'recipient_suppressed');
};

const relayed: FollowedFix<Client>[] = [
  {
    name: 'a relay that refuses a recipient',
    expected: ['smtp_rejected', 'provider', 'now_with_new_key'],
    fix: /Correct the recipient, the sender or the content that it names, and send again/,
    detail: /550 5\.1\.1/,
    fail: (own) => notSent(own, 'refused@example.org'),
    follow: (own) => sent(own, 'right@example.org'),
    works: 'delivered',
  },
  {
    name: 'a relay that closes the connection',
    expected: ['connection_failed', 'provider', 'later'],
    fix: /that it runs, accepts connections.*then send again/,
    fail: (own) => broken(own, 'closes@example.org'),
    follow: (own) => repaired(own, 'closes@example.org'),
    works: 'delivered',
  },
  {
    name: 'a relay that does not respond in time',
    expected: ['timeout', 'provider', 'later'],
    fix: /Check the load of the relay, then send again/,
    fail: (own) => broken(own, 'slow@example.org'),
    follow: (own) => repaired(own, 'slow@example.org'),
    works: 'delivered',
  },
  {
    name: 'an address that does not exist',
    expected: ['hard_bounce', 'recipient', 'no'],
    fix: /Correct the address of the contact. The address is suppressed/,
    async fail(own) {
      await expected(201, own, 'POST', '/v1/contacts', { name: 'Bob', email: 'gone@example.org' });
      return reported('gone@example.org', report('gone@example.org', ['failed', '5.1.1']));
    },
    async follow(own) {
      await isSuppressed('gone@example.org');
      type Contacts = { items: { id: string; email: string }[] };
      const { items } = await expected<Contacts>(200, own, 'GET', '/v1/contacts');
      const { id } = items.find(({ email }) => email === 'gone@example.org')!;
      await expected(200, own, 'PATCH', `/v1/contacts/${id}`, { email: 'here@example.org' });
      return delivered('here@example.org');
    },
    works: 'delivered',
  },
  {
    name: 'a full mailbox',
    expected: ['soft_bounce', 'recipient', 'later'],
    fix: /send again later with a new Idempotency-Key/,
    fail: () => reported('full@example.org', report('full@example.org', ['failed', '4.2.2'])),
    follow: () => delivered('full@example.org'),
    works: 'delivered',
  },
  {
    name: 'a mail server that delays',
    expected: ['delivery_delayed', 'recipient', 'no'],
    fix: /^Wait: a later report says delivered or bounced/,
    fail: () => reported('later@example.org', report('later@example.org', ['delayed', '4.4.1'])),
    async follow(own, { id }) {
      await comeIn(main, returnPath(relay), report('later@example.org', ['delivered', '2.0.0']));
      assert.equal((await verdictOf(own, id)).code, 'delivered');
      return undefined;
    },
  },
  {
    name: 'a person who reports spam',
    expected: ['complained', 'recipient', 'no'],
    fix: /Do not write to this address again: it is suppressed. Write only to people who expect it/,
    fail: () => reported('annoyed@example.org', complaint('annoyed@example.org')),
    async follow(own) {
      await isSuppressed('annoyed@example.org');
      return sent(own, 'expects@example.org');
    },
    works: 'delivered',
  },
];

describe('a relay and delivery reports', () => {
  followFixes(
    relayed,
    () => client,
    (own) => own,
  );
});

/** The operator changes a setting or repairs the relay, and the service starts again. */
type Operated = { current: Client };
const operated = (): Operated => ({ current: client });
const readerOf = (own: Operated): Client => ({
  ...client,
  request: (...request) => own.current.request(...request),
});
type Relay = Awaited<ReturnType<typeof relayOf>>;
type Settings = { relay: Relay; environment: Record<string, string> };
/** An email over the relay with these settings fails; it is sent after the change. */
const changed = (
  verdict: Pick<FollowedFix<Operated>, 'name' | 'expected' | 'fix' | 'detail'>,
  before: Settings,
  /** Null: the settings of the service that all other cases use. */
  after: ((before: Settings) => Settings) | null,
): FollowedFix<Operated> => {
  const start = async (own: Operated, of: Settings) => {
    own.current = (await startAppBefore(of.relay, of.environment)).client;
  };
  return {
    ...verdict,
    async fail(own) {
      await start(own, before);
      return notSent(own.current, 'bob@example.org');
    },
    async follow(own) {
      if (after) await start(own, after(before));
      else own.current = client;
      return sent(own.current, 'bob@example.org');
    },
    works: 'delivered',
  };
};
/** Opened here: a relay that a test opens closes all of them at its end. */
const encrypted = await relayOf({ offers: ['STARTTLS'] });
const right = Buffer.from('\0user\0right').toString('base64');
const guarded = await relayOf({
  offers: ['AUTH PLAIN'],
  answers: { [`AUTH PLAIN ${right}`]: '235 2.7.0 Ok', AUTH: '535 5.7.8 Wrong password' },
});
const losing = await relayOf({ answers: { '.': null } });
const with_tls = { PARLEY_SMTP_TLS: 'required' };

let lost: TestApp | undefined;
const operatorChanges: FollowedFix<Operated>[] = [
  changed(
    {
      name: 'a relay without the required encryption',
      expected: ['provider_error', 'provider', 'later'],
      fix: /the encryption of the relay \(PARLEY_SMTP_URL, PARLEY_SMTP_TLS\)/,
      detail: /offers no encryption/,
    },
    { relay, environment: with_tls },
    null,
  ),
  changed(
    {
      name: 'a relay whose certificate is for another name',
      expected: ['connection_failed', 'provider', 'later'],
      fix: /has a valid certificate for that name/,
      detail: /certificate|altnames/i,
    },
    // The certificate is for localhost, not for the address.
    { relay: encrypted, environment: with_tls },
    ({ relay }) => ({
      relay,
      environment: { ...with_tls, PARLEY_SMTP_URL: `smtp://localhost:${relay.port}` },
    }),
  ),
  changed(
    {
      name: 'a relay whose name cannot be resolved',
      expected: ['connection_failed', 'provider', 'later'],
      fix: /the name of the relay in PARLEY_SMTP_URL can be resolved/,
      detail: /ENOTFOUND|EAI_/,
    },
    // A label may have 63 characters, so no DNS server is asked.
    { relay, environment: { PARLEY_SMTP_URL: `smtp://${'a'.repeat(64)}.test:${relay.port}` } },
    null,
  ),
  changed(
    {
      name: 'a relay that does not run',
      expected: ['connection_failed', 'provider', 'later'],
      fix: /that it runs, accepts connections/,
      detail: /ECONNREFUSED/,
    },
    { relay, environment: { PARLEY_SMTP_URL: `smtp://127.0.0.1:${await freePort()}` } },
    null,
  ),
  changed(
    {
      name: 'a relay that refuses the password',
      expected: ['provider_error', 'provider', 'later'],
      fix: /Check the credentials.*PARLEY_SMTP_URL/,
      detail: /Wrong password/,
    },
    {
      relay: guarded,
      environment: { PARLEY_SMTP_URL: `smtp://user:wrong@127.0.0.1:${guarded.port}` },
    },
    ({ relay }) => ({
      relay,
      environment: { PARLEY_SMTP_URL: `smtp://user:right@127.0.0.1:${relay.port}` },
    }),
  ),
  {
    name: 'a relay that closes after it took the content',
    expected: ['unconfirmed', 'provider', 'no'],
    fix: /^Do not send it again yet. A delivery report settles the email/,
    async fail(own) {
      lost = await startAppBefore(losing);
      own.current = lost.client;
      return notSent(own.current, 'bob@example.org');
    },
    async follow(own, { id }) {
      assert.equal(losing.contents.length, 1, 'the relay has it, so sending again would send it twice');
      const raw = report('bob@example.org', ['delivered', '2.0.0']);
      await comeIn(lost!, returnPath(losing), raw);
      assert.equal((await verdictOf(own.current, id)).code, 'delivered');
      return undefined;
    },
  },
];

describe('settings of the relay', () => {
  followFixes(operatorChanges, operated, readerOf);
});
