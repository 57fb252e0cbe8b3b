// Mail that comes in over SMTP: who it is for, what becomes of it, and what is told.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import type { Email } from '@parley/contract/email-records';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { awkward_messages } from '../../../../testing/awkward-messages.ts';
import { startDns } from '../../../../testing/dns-server.ts';
import { deliver, dialogue, letter } from '../../../../testing/smtp-client.ts';

const dns = await startDns();
const { app, client, organization, url } = await startTestApp({ PARLEY_DNS_SERVERS: dns.address });
const port = await app.smtp.listen();
after(() => app.smtp.close());

let made = 0;
const mailbox = async (of: Client): Promise<string> => {
  const answer = await of.request<{ default_address: string }>('POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: `ana${++made}`,
    local_prefix_org: 'acme',
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.default_address;
};
const received = async (of: Client): Promise<Email[]> => {
  const list = await of.request<{ items: { id: string }[] }>('GET', '/v1/emails?direction=inbound&limit=200');
  return Promise.all(
    list.body.items.map(async ({ id }) => (await of.request<Email>('GET', `/v1/emails/${id}`)).body),
  );
};
const events = async (of: Client) =>
  (
    await of.request<{ items: { type: string; data: Record<string, unknown> }[] }>('GET', '/v1/events')
  ).body.items.map(({ type, data }) => ({ type, data }));

test('a message to an address of an organization is stored, listed and told', async () => {
  const own = organization();
  const to = await mailbox(own);
  const raw = letter({ to, subject: 'Grüße'.normalize(), body: 'Good morning.\r\n.dotted\r\n' });
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
  assert.equal(
    await (await fetch(link.headers.get('location')!)).text(),
    raw.replace(/\r\n\r\n$/, '\r\n\r\n'),
  );
});

test('an unknown address, a disabled domain and an address of nobody are refused before the message', async () => {
  const own = organization();
  const to = await mailbox(own);
  const talk = await dialogue(port);
  await talk.say('MAIL FROM:<bob@example.org>');
  assert.match(await talk.say('RCPT TO:<nobody+here@mail.localhost>'), /^550 5\.1\.1/);
  assert.match(await talk.say('RCPT TO:<bob@example.org>'), /^550 5\.1\.1/);
  assert.match(await talk.say(`RCPT TO:<${to}>`), /^250/);
  const { body } = await own.request<{ items: { id: string }[] }>('GET', '/v1/email-domains');
  await own.request('PATCH', `/v1/email-domains/${body.items[0]!.id}`, { inbound_enabled: false });
  assert.match(await talk.say(`RCPT TO:<${to}>`), /^550 5\.1\.1/);
  talk.cut();
});

test('the sandbox drops a message in by its fields, with attachments and given verdicts', async () => {
  const own = organization();
  const answer = await own.request<Email>('POST', '/v1/sandbox/inbound-emails', {
    from: 'Bob <bob@example.org>',
    subject: 'Papers',
    body_html: '<p>See <b>here</b></p>',
    attachments: [{ filename: 'a.txt', content_base64: Buffer.from('content').toString('base64') }],
    verdicts: { spf: 'PASS' },
  });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.subject, 'Papers');
  assert.equal(answer.body.spf_verdict, 'PASS');
  assert.equal(answer.body.dkim_verdict, 'DISABLED');
  assert.equal(answer.body.extracted_text, 'See here');
  const [attachment] = answer.body.attachments;
  assert.equal(attachment!.size_bytes, 7);
  const link = await own.request('GET', new URL(attachment!.url).pathname);
  assert.equal(link.status, 302);
  assert.equal(await (await fetch(link.headers.get('location')!)).text(), 'content');
});

test('an answer below the quotation is kept (M3)', async () => {
  const own = organization();
  const received = await own.request<Email>('POST', '/v1/sandbox/inbound-emails', {
    body_text:
      'Hi,\n\nOn Tue, Nov 17, 2026 at 12:00 PM Desk wrote:\n> Shall I cancel?\nNo! Do not cancel it.\n',
  });
  assert.equal(received.body.extracted_text, 'Hi,\n\nNo! Do not cancel it.');
});

test('the text view of an HTML mail holds what a person sees and no markup (C1)', async () => {
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

test('the nil organization receives as well', async () => {
  const to = await mailbox(client);
  assert.match(await deliver(port, { to, raw: letter({ to }) }), /^250 /);
  assert.equal((await received(client)).length, 1);
});

test('every awkward message is received, and readable over the API', { timeout: 60_000 }, async () => {
  const own = organization();
  const to = await mailbox(own);
  // On the wire a message without a byte is one with an empty line, which is among them as well.
  const messages = awkward_messages.filter(({ raw }) => raw.length > 0);
  for (const { name, raw } of messages) {
    const answer = await deliver(port, { to, raw });
    assert.match(answer, /^250 /, name);
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

test('a message of ten mebibytes arrives with its file byte for byte', { timeout: 60_000 }, async () => {
  const own = organization();
  const to = await mailbox(own);
  const file = randomBytes(7_500_000);
  const encoded = file.toString('base64').replaceAll(/.{76}/g, '$&\r\n');
  const raw = letter({
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

test('the sandbox drops a raw message in, only for addresses of the caller, and refuses what nobody could send', async () => {
  const [own, stranger] = [organization(), organization()];
  const [to, theirs] = [await mailbox(own), await mailbox(stranger)];
  const drop = (body: object) =>
    own.request<Email & { code: string }>('POST', '/v1/sandbox/inbound-emails', body);
  const raw = letter({ to, subject: 'Raw' }).replaceAll('\r\n', '\n');
  const dropped = await drop({ raw, to: [to] });
  assert.equal(dropped.status, 201, dropped.text);
  assert.equal(dropped.body.subject, 'Raw');
  assert.equal(
    (await drop({ raw, to: [to] })).body.id,
    dropped.body.id,
    'the same message is the same email',
  );
  assert.equal((await drop({ raw, to: [theirs] })).body.code, 'inbound_address_not_yours');
  assert.deepEqual(await received(stranger), []);
  assert.equal((await drop({ raw, subject: 'Both' })).status, 422);
  const nested = Array.from(
    { length: 60 },
    (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`,
  );
  assert.equal((await drop({ raw: nested.join(''), to: [to] })).body.code, 'inbound_message_refused');
  assert.equal((await drop({ from: 'a@b.test, c@d.test' })).body.code, 'invalid_email_address');
});

test('the sandbox takes text and html by these names, each once (M10)', async () => {
  const own = organization();
  const drop = (body: object) => own.request<Email>('POST', '/v1/sandbox/inbound-emails', body);
  const both = await drop({ subject: 'Both', text: 'plain words', html: '<p>a page</p>' });
  assert.equal(both.status, 201, both.text);
  assert.deepEqual(
    [both.body.body_text?.trim(), both.body.body_html?.trim()],
    ['plain words', '<p>a page</p>'],
  );
  assert.equal((await drop({ html: '<p>a page</p>' })).body.body_text, null);
  assert.equal((await drop({ text: 'a', body_text: 'b' })).status, 422);
  assert.equal((await drop({ html: 'a', body_html: 'b' })).status, 422);
  assert.equal((await drop({ raw: letter({}), text: 'a' })).status, 422);
});

test('a raw message in the sandbox goes to those whom its To and Cc name (M10)', async () => {
  const [own, stranger] = [organization(), organization()];
  const [to, cc, theirs] = [await mailbox(own), await mailbox(own), await mailbox(stranger)];
  const drop = (body: object) =>
    own.request<Email & { code: string }>('POST', '/v1/sandbox/inbound-emails', body);
  const from = 'Zoe <zoe@example.org>';
  const dropped = await drop({ raw: letter({ from, to: `Ana <${to}>, ${theirs}`, headers: [`Cc: ${cc}`] }) });
  assert.equal(dropped.status, 201, dropped.text);
  assert.equal(dropped.body.from_address, 'zoe@example.org');
  const [entry] = (
    await own.request<{ items: { detail: { recipients: string[] } }[] }>(
      'GET',
      `/v1/emails/${dropped.body.id}/events`,
    )
  ).body.items;
  assert.deepEqual(entry!.detail.recipients, [to, cc]);
  assert.deepEqual(await received(stranger), []);
  assert.equal((await drop({ raw: letter({ to: theirs }) })).body.code, 'inbound_address_not_yours');
  const unnamed = letter({ subject: 'To nobody' }).replace(/^To: .*\r\n/m, '');
  assert.equal((await drop({ raw: unnamed })).status, 201, 'without To it is for the default address');
  assert.equal((await drop({ raw: letter({ to: theirs }), to: [to] })).status, 201, 'to goes before To');
});

test('an attachment that came in can be sent on', async () => {
  const own = organization();
  const answer = await own.request<Email>('POST', '/v1/sandbox/inbound-emails', {
    attachments: [{ filename: 'a.txt', content_base64: 'YQ==' }],
  });
  const sent = await own.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@example.org'],
    subject: 'As I got it',
    attachment_ids: [answer.body.attachments[0]!.id],
  });
  assert.equal(sent.status, 201, sent.text);
  assert.equal(sent.body.attachments[0]!.filename, 'a.txt');
});
