// SMTP submission: mail programs send with an API key, under the same rules as the API, and get honest replies.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Email } from '@parley/contract/channels/emails/email-records';
import nodemailer from 'nodemailer';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { createMailbox, downloadRaw } from '../../../../testing/mail-app.ts';
import { type SmtpSession, smtpSession } from '../../../../testing/smtp-client.ts';

const run = promisify(execFile);
const service = await startTestApp({
  PARLEY_SHARED_KEY_GRANTS_CONSENT: 'on',
  PARLEY_ROLES: 'api,submission',
  PARLEY_EMAIL_ATTACHMENTS_MAX_BYTES: '200000',
  // So small that it is read for every message.
  PARLEY_STORAGE_QUOTA_MB: '32',
});
const { app, client, operator } = service;
const ports = await app.submission.listen();
after(() => app.submission.close());
const { default_address: from } = await createMailbox(client);
const password = client.key;

const newest = async (of: Client = client) => {
  const { body } = await of.request<{ items: { id: string }[] }>('GET', '/v1/emails?limit=1');
  return (await of.request<Email>('GET', `/v1/emails/${body.items[0]!.id}`)).body;
};
const count = async () =>
  (await client.request<{ items: unknown[] }>('GET', '/v1/emails?limit=200')).body.items.length;

const mailer = (options: object = {}) =>
  nodemailer.createTransport({
    host: '127.0.0.1',
    port: ports.starttls,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    auth: { user: 'parley', pass: password },
    ...options,
  });

const plain = (key: string) => `AUTH PLAIN ${Buffer.from(`\0parley\0${key}`).toString('base64')}`;
/** A session after STARTTLS and, with a key, AUTH. */
async function session(key: string | null = password): Promise<SmtpSession> {
  const opened = await smtpSession(ports.starttls);
  await opened.command('STARTTLS');
  await opened.startTls();
  await opened.command('EHLO client.test');
  if (key !== null) assert.match(await opened.command(plain(key)), /^235/);
  return opened;
}
async function submit(lines: string[], to = 'bob@example.org'): Promise<string> {
  const opened = await session();
  assert.match(await opened.command(`MAIL FROM:<${from}>`), /^250/);
  assert.match(await opened.command(`RCPT TO:<${to}>`), /^250/);
  assert.match(await opened.command('DATA'), /^354/);
  opened.send(`${lines.join('\r\n')}\r\n.\r\n`);
  const reply = await opened.reply();
  opened.destroy();
  return reply;
}

describe('a mail program', () => {
  test('sends with nodemailer over STARTTLS: recipients, texts, files and inline images arrive', async () => {
    const sent = await mailer().sendMail({
      from: `Acme <${from}>`,
      to: 'Bob <bob@example.org>',
      cc: 'carol@example.org',
      bcc: 'dave@example.org',
      replyTo: 'desk@example.org',
      subject: 'Grüße',
      text: 'Hello',
      html: '<p>Hello <a href="https://example.org/a">you</a> <img src="cid:logo"></p>',
      headers: {
        'X-Ticket': '17',
        'List-Unsubscribe': '<https://example.org/u>',
        'X-Parley-Metadata': '{"order":7}',
        'X-Parley-Reason': 'The order left',
      },
      attachments: [
        { filename: 'a.txt', content: 'A file' },
        { filename: 'logo.png', content: Buffer.from('logo'), cid: 'logo' },
      ],
    });
    const email = await newest();
    assert.match(sent.response, new RegExp(`^250 2\\.0\\.0 Sent as ${email.id}$`));
    assert.deepEqual(
      [email.from_name, email.to_addresses, email.cc_addresses, email.bcc_addresses, email.reply_to],
      ['Acme', ['bob@example.org'], ['carol@example.org'], ['dave@example.org'], 'desk@example.org'],
    );
    assert.deepEqual([email.subject, email.body_text, email.status], ['Grüße', 'Hello', 'sent']);
    assert.deepEqual(email.metadata, {
      order: 7,
      reason: 'The order left',
      original_message_id: sent.messageId,
    });
    const raw = await downloadRaw(client, email.id);
    assert.match(raw, /^X-Ticket: 17\r$/m);
    assert.match(raw, /^List-Unsubscribe: <https:\/\/example\.org\/u>\r$/m);
    assert.match(raw, /^Content-ID: <logo>\r$/m);
    assert.match(raw, /filename=a\.txt/);
    assert.match(raw, /https:\/\/example\.org\/a/, 'links are not tracked');
    assert.doesNotMatch(raw, /dave@example\.org|X-Parley/i);
  });

  test('sends with nodemailer over TLS from the start, many messages on one connection', async () => {
    const before = await count();
    const pooled = mailer({ port: ports.tls, secure: true, pool: true, maxConnections: 1 });
    const texts = ['one', 'two', 'three'];
    await Promise.all(
      texts.map((text) => pooled.sendMail({ from, to: 'bob@example.org', subject: text, text })),
    );
    pooled.close();
    assert.equal(await count(), before + texts.length);
  });

  test('sends with smtplib of Python, and with a backend as Django has it', async () => {
    const program = `
import smtplib, ssl, sys
from email.message import EmailMessage
from email.utils import make_msgid
port, tls_port, sender, password = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
message = EmailMessage()
message['From'], message['To'], message['Subject'] = sender, 'bob@example.org', 'From smtplib'
message.set_content('Hello from Python')
with smtplib.SMTP_SSL('127.0.0.1', tls_port, context=context) as client:
    client.login('parley', password)
    client.send_message(message)
# As a Django backend: one connection, sendmail() with bytes and the recipients of all fields.
message = EmailMessage()
message['From'], message['To'], message['Subject'], message['Message-ID'] = sender, 'bob@example.org', 'From a backend', make_msgid()
message.set_content('Text'); message.add_alternative('<p>HTML</p>', subtype='html')
connection = smtplib.SMTP('127.0.0.1', port, timeout=60)
connection.ehlo(); connection.starttls(context=context); connection.ehlo()
connection.login('parley', password)
connection.sendmail(sender, ['bob@example.org', 'hidden@example.org'], message.as_bytes(policy=message.policy.clone(linesep='\\r\\n')))
connection.quit()
`;
    await run('python3', ['-c', program, String(ports.starttls), String(ports.tls), from, password]);
    const email = await newest();
    assert.deepEqual(
      [email.subject, email.to_addresses, email.bcc_addresses],
      ['From a backend', ['bob@example.org'], ['hidden@example.org']],
    );
    assert.deepEqual([email.body_text!.trim(), email.body_html!.trim()], ['Text', '<p>HTML</p>']);
  });

  const swaks = '/usr/bin/swaks';
  const skip = existsSync(swaks) ? false : `${swaks} is not installed (scripts/install-debian-programs)`;
  test('sends with swaks', { skip }, async () => {
    const common = [
      '--server',
      '127.0.0.1',
      '--from',
      from,
      '--to',
      'bob@example.org',
      '--auth-user',
      'parley',
    ];
    const login = ['--auth', 'LOGIN', '--auth-password', password];
    await run(swaks, [
      ...common,
      ...login,
      '--port',
      String(ports.starttls),
      '--tls',
      '--header',
      'Subject: From swaks',
    ]);
    assert.equal((await newest()).subject, 'From swaks');
    const wrong = ['--auth', 'PLAIN', '--auth-password', 'wrong', '--port', String(ports.tls), '--tlsc'];
    await assert.rejects(run(swaks, [...common, ...wrong]), ({ stdout }: { stdout: string }) =>
      stdout.includes('535 5.7.8'),
    );
  });
});

describe('a session', () => {
  test('offers and accepts a password only after TLS, and no message without one', async () => {
    const clear = await smtpSession(ports.starttls, { helo: null });
    clear.send('EHLO client.test\r\n');
    assert.doesNotMatch(await clear.reply(), /AUTH/);
    assert.match(await clear.command(plain(password)), /^5\d\d/);
    assert.match(await clear.command(`MAIL FROM:<${from}>`), /^530/);
    clear.destroy();
    const opened = await session(null);
    assert.match(await opened.command(`MAIL FROM:<${from}>`), /^530/);
    opened.destroy();
  });

  test('refuses keys that are wrong, lack the scope, or do not grant consent', async () => {
    const opened = await session(null);
    assert.match(await opened.command(plain('wrong')), /^535 5\.7\.8/);
    const reader = service.organization({ scopes: ['emails:read'] });
    assert.match(await opened.command(plain(reader.key)), /^535 5\.7\.8 .*emails:write/);
    const other = service.organization();
    assert.match(await opened.command(plain(other.key)), /^535 5\.7\.8 .*grants_consent/);
    opened.destroy();
  });

  test('refuses a foreign sender, an empty one, and more than 50 recipients', async () => {
    const opened = await session();
    assert.match(await opened.command('MAIL FROM:<eve@example.org>'), /^553 5\.7\.1/);
    assert.match(await opened.command('MAIL FROM:<>'), /^553 5\.7\.1/);
    assert.match(await opened.command(`MAIL FROM:<${from}>`), /^250/);
    for (let at = 0; at < 50; at++)
      assert.match(await opened.command(`RCPT TO:<p${at}@example.org>`), /^250/);
    assert.match(await opened.command('RCPT TO:<one-more@example.org>'), /^452/);
    opened.destroy();
  });
});

describe('a message', () => {
  const lines = (...more: string[]) => [
    `From: ${from}`,
    'To: bob@example.org',
    'Subject: Hi',
    ...more,
    '',
    'Text',
  ];

  test('that the program repeats after a lost reply is sent once', async () => {
    const before = await count();
    const message = lines('Message-ID: <once@client.test>');
    const first = await submit(message);
    assert.match(first, /^250 2\.0\.0 Sent as /);
    assert.equal(await submit(message), first);
    const keyed = (id: string) => lines(`Message-ID: <${id}@client.test>`, 'X-Parley-Idempotency-Key: k1');
    const with_key = await submit(keyed('a'));
    assert.equal(await submit(keyed('b')), with_key);
    assert.equal(await count(), before + 2);
    const other = lines('X-Parley-Idempotency-Key: k1').map((line) => line.replace('Hi', 'Other'));
    assert.match(await submit(other), /^550 /);
  });

  test('of another sender, to a suppressed or rejecting recipient, or too large, is refused for good', async () => {
    const foreign = lines().map((line) => line.replace(/^From: .*/, 'From: eve@example.org'));
    assert.match(await submit(foreign), /^553 5\.7\.1/);
    await client.request('POST', '/v1/email-suppressions', {
      recipient: 'gone@example.org',
      reason: 'manual',
    });
    assert.match(await submit(lines(), 'gone@example.org'), /^550 5\.7\.1 .*suppressed/);
    for (const header of ['Message-ID: <r@client.test>', 'X-Parley-Idempotency-Key: rejected']) {
      const rejected = await submit(lines(header), 'rejected@sandbox.test');
      assert.match(rejected, /^554 5\.0\.0 .*550 5\.7\.1.* \(email [0-9a-f-]{36}\)/);
      assert.equal(await submit(lines(header), 'rejected@sandbox.test'), rejected);
    }
    assert.match(await submit(lines('X-Parley-Metadata: {')), /^550 5\.6\.0/);
    const file = Buffer.alloc(210_000, 'x').toString('base64').replaceAll(/.{76}/g, '$&\r\n');
    const large = [
      ...lines('MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b').slice(0, -1),
      '--b\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n',
      `${file}\r\n--b--`,
    ];
    assert.match(await submit(large), /^552 5\.3\.4/);
    const opened = await session();
    assert.match(await opened.command(`MAIL FROM:<${from}> SIZE=99999999`), /^552/);
    opened.destroy();
  });

  test('waits where a rule holds it, and is deferred while the channel is stopped', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString();
    assert.match(
      await submit(lines(`X-Parley-Scheduled-At: ${at}`)),
      /^250 2\.0\.0 Stored as .* waits \(schedule\)/,
    );
    assert.equal((await newest()).hold!.kind, 'schedule');
    const stopped = await operator.request('PATCH', '/v1/admin/kill-switch', { emails: true });
    assert.ok(stopped.status < 300, stopped.text);
    assert.match(await submit(lines('Message-ID: <later@client.test>')), /^451 /);
    await operator.request('PATCH', '/v1/admin/kill-switch', { emails: false });
    assert.match(await submit(lines('Message-ID: <later@client.test>')), /^250 /);
  });
});

test('readiness and metrics describe submission', async () => {
  const ready = await service.anonymous.request<{ checks: Record<string, string> }>('GET', '/readyz');
  assert.match(ready.text, /submission/);
  const metrics = await client.request('GET', '/metrics');
  assert.match(metrics.text, /^parley_submission_accepted_total [1-9]/m);
  assert.match(metrics.text, /^parley_submission_refused_total [1-9]/m);
  assert.match(metrics.text, /^parley_submission_connections \d/m);
});

test('after 20 wrong passwords from one address further ones are cut off with 421', async () => {
  const opened = await session(null);
  const codes: string[] = [];
  for (let at = 0; at < 30 && codes.at(-1) !== '421'; at++) {
    // The library ends a session after several failures.
    const each = at % 4 === 0 ? await session(null) : opened;
    codes.push((await each.command(plain(`wrong-${at}`)).catch(() => '421')).slice(0, 3));
    if (each !== opened) each.destroy();
  }
  assert.equal(codes.at(-1), '421');
  assert.ok(codes.length >= 15, `after ${codes.length}`);
  opened.destroy();
});

test('a stop ends idle connections at once, and a message in progress gets its reply', async () => {
  const second = await startTestApp({ PARLEY_SHARED_KEY_GRANTS_CONSENT: 'on' });
  const own = await second.app.submission.listen();
  const { default_address } = await createMailbox(second.client);
  const open = async () => {
    const opened = await smtpSession(own.starttls);
    await opened.command('STARTTLS');
    await opened.startTls();
    await opened.command('EHLO client.test');
    assert.match(await opened.command(plain(second.client.key)), /^235/);
    return opened;
  };
  const [idle, busy] = [await open(), await open()];
  await busy.command(`MAIL FROM:<${default_address}>`);
  await busy.command('RCPT TO:<bob@example.org>');
  assert.match(await busy.command('DATA'), /^354/);
  busy.send(`From: ${default_address}\r\nSubject: In progress\r\n`);
  const closed = second.app.submission.close();
  assert.match(await idle.reply(), /^421 4\.3\.2/);
  busy.send('\r\nText\r\n.\r\n');
  assert.match(await busy.reply(), /^250 /);
  assert.match(await busy.reply(), /^421 4\.3\.2/);
  await closed;
});

test('a message with a file that exceeds the storage quota is deferred, and accepted when there is room', async () => {
  const at = `/v1/admin/organizations/${client.organization_id}`;
  const allow = async (storage_bytes_max: number | null) =>
    assert.equal((await client.request('PATCH', at, { storage_bytes_max })).status, 200);
  const { body } = await client.request<{ used_bytes: number }>('GET', '/v1/organization/storage');
  await allow(body.used_bytes + 100);
  const message = {
    from,
    to: 'bob@example.org',
    subject: 'Offer',
    text: 'Attached.',
    attachments: [{ filename: 'offer.txt', content: 'x'.repeat(2000) }],
  };
  const before = await count();
  await assert.rejects(mailer().sendMail(message), (error: { responseCode: number; response: string }) => {
    assert.equal(error.responseCode, 452, error.response);
    return true;
  });
  assert.equal(await count(), before);
  await allow(null);
  assert.match((await mailer().sendMail(message)).response, /^250 /);
});
