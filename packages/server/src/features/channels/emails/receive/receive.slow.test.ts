// Mail that arrives over SMTP or the sandbox: recipients, the stored record, attachments and events.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Client } from '../../../../../testing/app.ts';
import {
  createMailbox,
  downloadRaw,
  receivedEmails as received,
  startMailApp,
} from '../../../../../testing/mail-app.ts';
import { deliver, rawMessage, smtpSession } from '../../../../../testing/smtp-client.ts';
import { unusual_messages } from '../../../../../testing/unusual-messages.ts';

const { client, later, organization, smtp_port: port, url } = await startMailApp();

const mailbox = async (of: Client) => (await createMailbox(of)).default_address;
const events = async (of: Client) =>
  (
    await of.request<{ items: { type: string; data: Record<string, unknown> }[] }>('GET', '/v1/events')
  ).body.items.map(({ type, data }) => ({ type, data }));

test('a message to an address of an organization is stored, listed and published as an event', async () => {
  const own = organization();
  const to = await mailbox(own);
  const raw = rawMessage({ to, subject: 'Grüße'.normalize(), body: 'Good morning.\r\n.dotted\r\n' });
  assert.match(await deliver(port, { to, raw }), /^250 /);
  const [email] = await received(own);
  assert.equal(email!.status, 'received');
  assert.equal(email!.direction, 'inbound');
  assert.equal(email!.from_address, 'bob@example.org');
  assert.equal(email!.from_name, 'Bob');
  assert.deepEqual(email!.to_addresses, [to]);
  assert.equal(email!.body_text, 'Good morning.\n.dotted\n\n');
  assert.equal(email!.extracted_text, 'Good morning.\n.dotted');
  assert.equal(email!.spam_verdict, 'DISABLED');
  assert.equal(email!.virus_verdict, 'DISABLED');
  assert.equal(email!.raw_url, `${url}/v1/emails/${email!.id}/raw`);
  const [event] = await events(own);
  assert.equal(event!.type, 'email.received');
  assert.equal(event!.data.id, email!.id);
  const link = await own.request('GET', `/v1/emails/${email!.id}/raw`);
  assert.equal(link.status, 302);
  assert.equal(await downloadRaw(own, email!.id), raw);
});

test('an unknown address, a disabled domain and an unknown domain are refused before the message is sent', async () => {
  const own = organization();
  const to = await mailbox(own);
  const session = await smtpSession(port);
  await session.command('MAIL FROM:<bob@example.org>');
  assert.match(await session.command('RCPT TO:<nobody+here@mail.localhost>'), /^550 5\.1\.1/);
  assert.match(await session.command('RCPT TO:<bob@example.org>'), /^550 5\.1\.1/);
  assert.match(await session.command(`RCPT TO:<${to}>`), /^250/);
  const { body } = await own.request<{ items: { id: string }[] }>('GET', '/v1/email-domains');
  await own.request('PATCH', `/v1/email-domains/${body.items[0]!.id}`, { inbound_enabled: false });
  assert.match(await session.command(`RCPT TO:<${to}>`), /^550 5\.1\.1/);
  session.destroy();
});

test('the sandbox receives a message by its fields, with attachments and the requested verdicts', async () => {
  const own = organization();
  const response = await own.request<Email>('POST', '/v1/sandbox/inbound-emails', {
    from: 'Bob <bob@example.org>',
    subject: 'Papers',
    body_html: '<p>See <b>here</b></p>',
    attachments: [{ filename: 'a.txt', content_base64: Buffer.from('content').toString('base64') }],
    verdicts: { spf: 'PASS' },
  });
  assert.equal(response.status, 201, response.text);
  assert.equal(response.body.subject, 'Papers');
  assert.equal(response.body.spf_verdict, 'PASS');
  assert.equal(response.body.dkim_verdict, 'DISABLED');
  assert.equal(response.body.extracted_text, 'See here');
  const [attachment] = response.body.attachments;
  assert.equal(attachment!.size_bytes, 7);
  const link = await own.request('GET', new URL(attachment!.url).pathname);
  assert.equal(link.status, 302);
  assert.equal(await (await fetch(link.headers.get('location')!)).text(), 'content');
});

test('a reply below the quoted text is kept (M3)', async () => {
  const own = organization();
  const received = await own.request<Email>('POST', '/v1/sandbox/inbound-emails', {
    body_text:
      'Hi,\n\nOn Tue, Nov 17, 2026 at 12:00 PM Desk wrote:\n> Shall I cancel?\nNo! Do not cancel it.\n',
  });
  assert.equal(received.body.extracted_text, 'Hi,\n\nNo! Do not cancel it.');
});

test('the text view of an HTML email contains the visible text without markup (C1)', async () => {
  const own = organization();
  const body_html = '<p>Hello <b>Ana</b></p><p style="display:none">obey</p><blockquote>Hi</blockquote>';
  const { body } = await own.request<Email>('POST', '/v1/sandbox/inbound-emails', { body_html });
  const full = await own.request<Email>('GET', `/v1/emails/${body.id}`);
  assert.deepEqual([full.body.body_text, full.body.body_html?.trim()], [null, body_html]);
  assert.equal(full.body.extracted_text, 'Hello Ana');
  const text = await own.request<Email>('GET', `/v1/emails/${body.id}?view=text`);
  assert.deepEqual([text.body.body_text, text.body.body_html], ['Hello Ana\n\n> Hi', null]);
  assert.equal((await own.request('GET', `/v1/emails/${body.id}?view=other`)).status, 422);
});

test('the nil organization receives mail too', async () => {
  const to = await mailbox(client);
  assert.match(await deliver(port, { to, raw: rawMessage({ to }) }), /^250 /);
  assert.equal((await received(client)).length, 1);
});

test('every unusual message is received, and readable over the API', { timeout: 60_000 }, async () => {
  const own = organization();
  const to = await mailbox(own);
  // SMTP cannot transfer an empty message: it would arrive as one empty line, which another case covers.
  const messages = unusual_messages.filter(({ raw }) => raw.length > 0);
  for (const { name, raw } of messages) {
    const reply = await deliver(port, { to, raw });
    assert.match(reply, /^250 /, name);
  }
  const emails = await received(own);
  assert.equal(emails.length, messages.length);
  for (const email of emails) {
    for (const { url: link } of email.attachments) {
      const found = await own.request('GET', new URL(link).pathname);
      assert.equal((await fetch(found.headers.get('location')!)).status, 200);
    }
  }
});

test('a message of ten megabytes is received with its attachment byte for byte', {
  timeout: 60_000,
}, async () => {
  const own = organization();
  const to = await mailbox(own);
  const file = randomBytes(7_500_000);
  const encoded = file.toString('base64').replaceAll(/.{76}/g, '$&\r\n');
  const raw = rawMessage({
    to,
    subject: 'Large',
    headers: ['Content-Type: multipart/mixed; boundary=b'],
    body: `--b\r\nContent-Type: text/plain\r\n\r\nSee attached.\r\n--b\r\nContent-Type: application/zip; name=a.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n--b--`,
  });
  assert.match(await deliver(port, { to, raw }), /^250 /);
  const [email] = await received(own);
  assert.equal(email!.body_text, 'See attached.');
  assert.equal(email!.attachments[0]!.size_bytes, file.length);
  const link = await own.request('GET', new URL(email!.attachments[0]!.url).pathname);
  const content = Buffer.from(await (await fetch(link.headers.get('location')!)).arrayBuffer());
  assert.ok(createHash('sha256').update(content).digest().equals(createHash('sha256').update(file).digest()));
});

test('a message without Message-ID and Date is received again later, but not when its delivery is repeated', async () => {
  const own = organization();
  const to = await mailbox(own);
  const raw = `From: ups@example.com\r\nTo: ${to}\r\nSubject: Battery low\r\n\r\nReplace the battery.\r\n`;
  for (let i = 0; i < 2; i++) assert.match(await deliver(port, { to, raw }), /^250 /);
  await later(7200);
  assert.match(await deliver(port, { to, raw }), /^250 /);
  const emails = await received(own);
  // The first two deliveries may lie on both sides of a full hour.
  assert.ok(emails.length === 2 || emails.length === 3, `${emails.length} emails`);
});

test('the sandbox receives a raw message, only for addresses of the caller, and refuses an unreadable one', async () => {
  const [own, other] = [organization(), organization()];
  const [to, theirs] = [await mailbox(own), await mailbox(other)];
  const receive = (body: object) =>
    own.request<Email & { code: string }>('POST', '/v1/sandbox/inbound-emails', body);
  const raw = rawMessage({ to, subject: 'Raw' }).replaceAll('\r\n', '\n');
  const accepted = await receive({ raw, to: [to] });
  assert.equal(accepted.status, 201, accepted.text);
  assert.equal(accepted.body.subject, 'Raw');
  assert.equal(
    (await receive({ raw, to: [to] })).body.id,
    accepted.body.id,
    'the same message is not stored twice',
  );
  assert.equal((await receive({ raw, to: [theirs] })).body.code, 'inbound_address_not_yours');
  assert.deepEqual(await received(other), []);
  assert.equal((await receive({ raw, subject: 'Both' })).status, 422);
  const nested = Array.from(
    { length: 60 },
    (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`,
  );
  assert.equal((await receive({ raw: nested.join(''), to: [to] })).body.code, 'inbound_message_refused');
  assert.equal((await receive({ from: 'a@b.test, c@d.test' })).body.code, 'invalid_email_address');
});

test('the sandbox accepts text and html under either name, but not under both (M10)', async () => {
  const own = organization();
  const receive = (body: object) => own.request<Email>('POST', '/v1/sandbox/inbound-emails', body);
  const both = await receive({ subject: 'Both', text: 'plain text', html: '<p>a page</p>' });
  assert.equal(both.status, 201, both.text);
  assert.deepEqual(
    [both.body.body_text?.trim(), both.body.body_html?.trim()],
    ['plain text', '<p>a page</p>'],
  );
  assert.equal((await receive({ html: '<p>a page</p>' })).body.body_text, null);
  assert.equal((await receive({ text: 'a', body_text: 'b' })).status, 422);
  assert.equal((await receive({ html: 'a', body_html: 'b' })).status, 422);
  assert.equal((await receive({ raw: rawMessage({}), text: 'a' })).status, 422);
});

test('a raw message in the sandbox is received by the addresses in its To and Cc (M10)', async () => {
  const [own, other] = [organization(), organization()];
  const [to, cc, theirs] = [await mailbox(own), await mailbox(own), await mailbox(other)];
  const receive = (body: object) =>
    own.request<Email & { code: string }>('POST', '/v1/sandbox/inbound-emails', body);
  const from = 'Zoe <zoe@example.org>';
  const accepted = await receive({
    raw: rawMessage({ from, to: `Ana <${to}>, ${theirs}`, headers: [`Cc: ${cc}`] }),
  });
  assert.equal(accepted.status, 201, accepted.text);
  assert.equal(accepted.body.from_address, 'zoe@example.org');
  const [entry] = (
    await own.request<{ items: { detail: { recipients: string[] } }[] }>(
      'GET',
      `/v1/emails/${accepted.body.id}/events`,
    )
  ).body.items;
  assert.deepEqual(entry!.detail.recipients, [to, cc]);
  assert.deepEqual(await received(other), []);
  assert.equal((await receive({ raw: rawMessage({ to: theirs }) })).body.code, 'inbound_address_not_yours');
  const unnamed = rawMessage({ subject: 'Without To' }).replace(/^To: .*\r\n/m, '');
  assert.equal((await receive({ raw: unnamed })).status, 201, 'without To the default address receives it');
  assert.equal(
    (await receive({ raw: rawMessage({ to: theirs }), to: [to] })).status,
    201,
    'the field `to` wins over the header',
  );
});

test('a received attachment can be sent in another email', async () => {
  const own = organization();
  const response = await own.request<Email>('POST', '/v1/sandbox/inbound-emails', {
    attachments: [{ filename: 'a.txt', content_base64: 'YQ==' }],
  });
  const sent = await own.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@example.org'],
    subject: 'Forwarded by hand',
    attachment_ids: [response.body.attachments[0]!.id],
  });
  assert.equal(sent.status, 201, sent.text);
  assert.equal(sent.body.attachments[0]!.filename, 'a.txt');
});
