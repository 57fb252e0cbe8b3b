// What happens to received mail besides storing it: conversations, duplicates, reports, limits, webhooks, waiting requests.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Client } from '../../../../../testing/app.ts';
import { createMailbox, receivedEmails, startMailApp } from '../../../../../testing/mail-app.ts';
import { managedOrganization } from '../../../../../testing/managed.ts';
import { startReceiver } from '../../../../../testing/receiver.ts';
import { deliver, rawMessage, smtpSession } from '../../../../../testing/smtp-client.ts';

const service = await startMailApp({
  PARLEY_MANAGED: 'on',
  PARLEY_FUNDS: 'on',
  PARLEY_INBOUND_EMAILS_PER_MINUTE: '40',
  WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8',
});
const { operator, organization, smtp_port: port } = service;

type Event = { type: string; data: Record<string, unknown> };
/** Without those of conversations, which follow later. */
const events = async (of: Client): Promise<Event[]> =>
  (await of.request<{ items: Event[] }>('GET', '/v1/events?limit=200')).body.items.filter(({ type }) =>
    type.startsWith('email.'),
  );
const send = async (of: Client, body: object) => {
  const response = await of.request<Email>('POST', '/v1/emails', { recipient_consent: true, ...body });
  assert.equal(response.status, 201, response.text);
  return response.body;
};

describe('a conversation', () => {
  test('contains the reply to an email, and our reply to that', async () => {
    const own = organization();
    const { default_address: to } = await createMailbox(own);
    const first = await send(own, { to: ['bob@example.org'], subject: 'Your order' });
    const raw = rawMessage({ to, subject: 'whatever', headers: [`In-Reply-To: ${first.message_id}`] });
    assert.match(await deliver(port, { to, raw }), /^250/);
    const [reply] = await receivedEmails(own);
    assert.equal(reply!.conversation_id, first.conversation_id);
    assert.equal(reply!.in_reply_to, first.message_id);
    const again = await own.request<Email>('POST', `/v1/emails/${reply!.id}/reply`, {
      recipient_consent: true,
      body_text: 'Thank you',
    });
    assert.equal(again.status, 201, again.text);
    assert.equal(again.body.conversation_id, first.conversation_id);
    assert.deepEqual(again.body.to_addresses, ['bob@example.org']);
    assert.equal(again.body.from_address, to);
    assert.deepEqual(again.body.references_ids.at(-1), reply!.message_id);
  });

  test('is found by references, or by subject and participants; otherwise a new one starts', async () => {
    const own = organization();
    const { default_address: to } = await createMailbox(own);
    const first = await send(own, { to: ['bob@example.org'], subject: 'Invoice' });
    const messages = [
      rawMessage({ to, subject: 'x', headers: [`References: <unknown@x> ${first.message_id} <lost@y>`] }),
      rawMessage({ to, subject: 'AW: Invoice' }),
      rawMessage({ to, subject: 'Something else' }),
      rawMessage({ to, subject: 'Invoice', from: 'eve@example.org' }),
    ];
    for (const raw of messages) await deliver(port, { to, raw });
    const found = (await receivedEmails(own)).reverse().map(({ conversation_id }) => conversation_id);
    assert.deepEqual(
      found.map((id) => id === first.conversation_id),
      [true, true, false, false],
    );
    assert.notEqual(found[2], found[3]);
  });
});

describe('the same message', () => {
  test('delivered again after a lost reply is one email and one event', async () => {
    const own = organization();
    const { default_address: to } = await createMailbox(own);
    const raw = rawMessage({ to });
    assert.match(await deliver(port, { to, raw }), /^250/);
    assert.match(await deliver(port, { to, raw: `Received: from relay by us; now\r\n${raw}` }), /^250/);
    assert.equal((await receivedEmails(own)).length, 1);
    assert.equal((await events(own)).length, 1);
  });

  test('to two addresses of an organization is one email, in one delivery or in two', async () => {
    const own = organization();
    const [{ default_address: one }, { default_address: two }] = [
      await createMailbox(own),
      await createMailbox(own),
    ];
    await deliver(port, { to: [one, two], raw: rawMessage({ to: `${one}, ${two}` }) });
    assert.equal((await receivedEmails(own)).length, 1);
    const raw = rawMessage({ to: one });
    await Promise.all([one, two].map((to) => deliver(port, { to, raw })));
    const emails = await receivedEmails(own);
    assert.equal(emails.length, 2);
  });

  test('to two organizations is one email of each, and a recipient that To and Cc do not name is in bcc', async () => {
    const [a, b] = [organization(), organization()];
    const [{ default_address: one }, { default_address: two }] = [
      await createMailbox(a),
      await createMailbox(b),
    ];
    await deliver(port, { to: [one, two], raw: rawMessage({ to: one }) });
    const [[of_a], [of_b]] = [await receivedEmails(a), await receivedEmails(b)];
    assert.deepEqual([of_a!.to_addresses, of_a!.bcc_addresses], [[one], []]);
    assert.deepEqual([of_b!.to_addresses, of_b!.bcc_addresses], [[one], [two]]);
    assert.notEqual(of_a!.id, of_b!.id);
    for (const [of, email] of [
      [a, of_a],
      [b, of_b],
    ] as const) {
      const link = await of.request('GET', `/v1/emails/${email!.id}/raw`);
      assert.equal((await fetch(link.headers.get('location')!)).status, 200);
    }
  });
});

describe('a report', () => {
  const dsn = (about: string, recipient = 'gone@example.org') =>
    [
      'From: MAILER-DAEMON@relay.test',
      'Subject: Undelivered Mail Returned to Sender',
      `Message-ID: <${crypto.randomUUID()}@relay.test>`,
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b\r\nContent-Type: text/plain\r\n\r\nNo.\r\n--b\r\nContent-Type: message/delivery-status\r\n',
      'Reporting-MTA: dns; relay.test\r\n',
      `Final-Recipient: rfc822; ${recipient}\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 no such user`,
      `\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: ${about}\r\n\r\n--b--\r\n`,
    ].join('\r\n');
  const status = async (of: Client, id: string) =>
    (await of.request<Email>('GET', `/v1/emails/${id}`)).body.status;

  test('to the return path marks the email as bounced and is not stored as mail', async () => {
    const own = organization();
    const email = await send(own, { to: ['gone@example.org'], subject: 'Hello' });
    const outbox = await own.request<{ items: { from: string }[] }>('GET', '/v1/sandbox/outbox');
    const to = outbox.body.items[0]!.from;
    assert.match(await deliver(port, { from: '', to, raw: dsn('<x@y>') }), /^250/);
    assert.equal(await status(own, email.id), 'bounced');
    assert.deepEqual(await receivedEmails(own), []);
  });

  test('to an ordinary address is matched by Message-ID; a report about no email of the organization is mail', async () => {
    const own = organization();
    const { default_address: to } = await createMailbox(own);
    const email = await send(own, { to: ['gone@example.org'], subject: 'Hello' });
    assert.match(await deliver(port, { from: '', to, raw: dsn(email.message_id!) }), /^250/);
    assert.equal(await status(own, email.id), 'bounced');
    assert.deepEqual(await receivedEmails(own), []);
    const other = organization();
    const theirs = await createMailbox(other);
    await deliver(port, { from: '', to: theirs.default_address, raw: dsn(email.message_id!) });
    assert.equal((await receivedEmails(other)).length, 1);
  });

  /** An abuse report (RFC 5965) as feedback loops send it. */
  const arf = (about: { message_id?: string; return_path?: string }, recipient: string) =>
    [
      'From: Feedback loop <fbl@isp.test>',
      'Subject: FW: Hello',
      `Message-ID: <${crypto.randomUUID()}@isp.test>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
      '',
      '--b\r\nContent-Type: text/plain\r\n\r\nA user reported this as spam.',
      '--b\r\nContent-Type: message/feedback-report\r\n',
      'Feedback-Type: abuse\r\nUser-Agent: Loop/1.0\r\nVersion: 1',
      ...(about.return_path ? [`Original-Mail-From: <${about.return_path}>`] : []),
      `Original-Rcpt-To: <${recipient}>\r\n`,
      '--b\r\nContent-Type: message/rfc822\r\n',
      ...(about.message_id ? [`Message-ID: ${about.message_id}`] : []),
      'Subject: Hello\r\n\r\nHello.\r\n--b--\r\n',
    ].join('\r\n');

  test('of abuse to an ordinary address is a complaint about the named email, reported once', async () => {
    const own = organization();
    const { default_address: to } = await createMailbox(own);
    const by_id = await send(own, { to: ['angry@example.org'], subject: 'Hello' });
    const by_path = await send(own, { to: ['cross@example.org'], subject: 'Hello again' });
    const outbox = await own.request<{ items: { resource_id: string; from: string }[] }>(
      'GET',
      '/v1/sandbox/outbox',
    );
    const return_path = outbox.body.items.find(({ resource_id }) => resource_id === by_path.id)!.from;
    const reports = [
      arf({ message_id: by_id.message_id! }, 'angry@example.org'),
      arf({ return_path }, 'cross@example.org'),
    ];
    for (const raw of [...reports, ...reports]) {
      assert.match(await deliver(port, { from: 'fbl@isp.test', to, raw }), /^250/);
    }
    for (const { id } of [by_id, by_path]) assert.equal(await status(own, id), 'complained');
    assert.deepEqual(await receivedEmails(own), []);
    const published = (await events(own)).filter(({ type }) => /complained|received/.test(type));
    assert.deepEqual(
      published.map(({ type, data }) => [type, data.id]).sort(),
      [by_id, by_path].map(({ id }) => ['email.complained', id]).sort(),
    );
    const suppressed = await own.request<{ items: { recipient: string; reason: string }[] }>(
      'GET',
      '/v1/email-suppressions',
    );
    assert.deepEqual(suppressed.body.items.map(({ recipient }) => recipient).sort(), [
      'angry@example.org',
      'cross@example.org',
    ]);
  });

  test('of abuse about an email of another organization is ordinary mail and no complaint', async () => {
    const own = organization();
    const email = await send(own, { to: ['angry@example.org'], subject: 'Hello' });
    const other = organization();
    const { default_address: to } = await createMailbox(other);
    const raw = arf({ message_id: email.message_id! }, 'angry@example.org');
    assert.match(await deliver(port, { from: 'fbl@isp.test', to, raw }), /^250/);
    const [received, ...more] = await receivedEmails(other);
    assert.deepEqual(more, []);
    assert.equal(received!.subject, 'FW: Hello');
    assert.equal(await status(own, email.id), 'sent');
    const suppressed = await own.request<{ items: unknown[] }>('GET', '/v1/email-suppressions');
    assert.deepEqual(suppressed.body.items, []);
  });

  test('to a return path with a forged signature is refused', async () => {
    const session = await smtpSession(port);
    await session.command('MAIL FROM:<>');
    assert.match(await session.command(`RCPT TO:<bounce-${'a'.repeat(39)}@mail.localhost>`), /^550/);
    assert.match(await session.command(`RCPT TO:<srs0=${'a'.repeat(39)}@mail.localhost>`), /^550/);
    session.destroy();
  });
});

test('automatic replies are marked, and the service never replies by itself', async () => {
  const own = organization();
  const { default_address: to } = await createMailbox(own);
  const cases = [
    ['Auto-Submitted: auto-replied', true],
    ['X-Autoreply: yes', true],
    ['Precedence: auto_reply', true],
    ['Auto-Submitted: auto-generated', false],
    ['Auto-Submitted: no', false],
  ] as const;
  for (const [header] of cases)
    await deliver(port, { from: '', to, raw: rawMessage({ to, headers: [header] }) });
  assert.deepEqual(
    (await receivedEmails(own)).reverse().map((email) => email.is_auto_reply),
    cases.map(([, expected]) => expected),
  );
  assert.ok((await receivedEmails(own)).every((email) => email.is_automatic));
  await deliver(port, { from: 'ana@example.org', to, raw: rawMessage({ to }) });
  assert.equal((await receivedEmails(own))[0]!.is_automatic, false);
  const outbox = await own.request<{ items: unknown[] }>('GET', '/v1/sandbox/outbox');
  assert.deepEqual(outbox.body.items, []);
});

describe('mail over the rate limit of an organization', () => {
  test('is stored and reported as suppressed', async () => {
    const own = organization();
    const { default_address: to } = await createMailbox(own);
    const session = await smtpSession(port);
    for (let i = 0; i < 50; i++) {
      await session.command('MAIL FROM:<bob@example.org>');
      await session.command(`RCPT TO:<${to}>`);
      await session.command('DATA');
      session.send(`${rawMessage({ to, subject: `Flood ${i}` })}.\r\n`);
      assert.match(await session.reply(), /^250/);
    }
    session.destroy();
    assert.equal((await receivedEmails(own)).length, 50);
    const published = await events(own);
    const suppressed = published.filter(({ type }) => type === 'email.received.suppressed');
    assert.equal(published.length, 50);
    assert.ok(suppressed.length >= 4, String(suppressed.length));
    assert.deepEqual(Object.keys(suppressed[0]!.data).sort(), [
      'direction',
      'from_address',
      'id',
      'message_id',
      'reason',
      'subject',
      'to_addresses',
    ]);
    assert.equal(suppressed[0]!.data.reason, 'inbound_rate_limit');
  });
});

test('received mail is charged, and without funds it is stored and reported as suppressed', async () => {
  const { client: own, organization: record } = await managedOrganization(service);
  const { default_address: to } = await createMailbox(own);
  await operator.request('PATCH', '/v1/admin/prices', { inbound_email: 1000 });
  const credit = await operator.request('POST', `/v1/admin/organizations/${record.id}/funds/credits`, {
    amount_micros: 1500,
  });
  assert.equal(credit.status, 201, credit.text);
  const raw = rawMessage({ to, subject: 'Paid' });
  await deliver(port, { to, raw });
  await deliver(port, { to, raw });
  await deliver(port, { to, raw: rawMessage({ to, subject: 'Unpaid' }) });
  await operator.request('PATCH', '/v1/admin/prices', { inbound_email: 0 });
  assert.deepEqual(
    (await receivedEmails(own)).map(({ subject }) => subject),
    ['Unpaid', 'Paid'],
  );
  assert.deepEqual(
    (await events(own)).map(({ type, data }) => [type, data.subject, data.reason]),
    [
      ['email.received.suppressed', 'Unpaid', 'insufficient_funds'],
      ['email.received', 'Paid', undefined],
    ],
  );
  const balance = await own.request<{ balance_micros: number }>('GET', '/v1/funds');
  assert.equal(balance.body.balance_micros, 500);
  const [unpaid] = await receivedEmails(own);
  const timeline = await own.request<{ items: { kind: string }[] }>('GET', `/v1/emails/${unpaid!.id}/events`);
  assert.deepEqual(
    timeline.body.items.map(({ kind }) => kind),
    ['received', 'received_suppressed'],
  );
});

test('a webhook contains the data of the email and the domain that received it', async () => {
  const own = organization();
  const { default_address: to } = await createMailbox(own);
  const receiver = await startReceiver();
  await own.request('POST', '/v1/webhooks', {
    target_url: `${receiver.url}/in`,
    event_types: ['email.received'],
  });
  await deliver(port, { to, raw: rawMessage({ to, subject: 'Notified' }) });
  const [delivery] = await receiver.arrived('/in');
  assert.equal(delivery!.headers['x-service-event'], 'email.received');
  assert.equal(delivery!.headers['x-service-email-domain'], 'mail.localhost');
  const { data } = delivery!.json;
  assert.deepEqual(Object.keys(data).sort(), [
    'attachments',
    'direction',
    'dkim_verdict',
    'dmarc_verdict',
    'from_address',
    'id',
    'in_reply_to',
    'message_id',
    'raw_url',
    'spam_verdict',
    'spf_verdict',
    'subject',
    'to_addresses',
    'virus_verdict',
  ]);
});

describe('waiting for an email', () => {
  test('returns the first match and the code in it', async () => {
    const own = organization();
    const { default_address: to } = await createMailbox(own);
    const query = `to=${encodeURIComponent(to.toUpperCase())}&from=codes@example.org&timeout_seconds=20`;
    const waiting = own.request<{ email: Email; code: string }>('GET', `/v1/emails/wait?${query}`);
    await deliver(port, { to, raw: rawMessage({ to, subject: 'Other' }) });
    const raw = rawMessage({
      to,
      from: 'codes@example.org',
      subject: 'Sign in',
      body: 'Your code is 482913.',
    });
    await deliver(port, { to, raw });
    const { status, body } = await waiting;
    assert.equal(status, 200);
    assert.equal(body.email.subject, 'Sign in');
    assert.equal(body.code, '482913');
  });

  test('finds emails since a time, none of other organizations, and returns null after the timeout', async () => {
    const own = organization();
    const { default_address: to } = await createMailbox(own);
    const since = new Date(Date.now() - 1000).toISOString();
    await deliver(port, { to, raw: rawMessage({ to, subject: 'Before' }) });
    const found = await own.request<{ email: Email }>(
      'GET',
      `/v1/emails/wait?since=${encodeURIComponent(since)}&timeout_seconds=1`,
    );
    assert.equal(found.body.email.subject, 'Before');
    const none = await organization().request<{ email: null; code: null }>(
      'GET',
      '/v1/emails/wait?timeout_seconds=1',
    );
    assert.deepEqual(none.body, { email: null, code: null });
    assert.equal((await own.request('GET', '/v1/emails/wait?to=nonsense')).status, 422);
  });
});
