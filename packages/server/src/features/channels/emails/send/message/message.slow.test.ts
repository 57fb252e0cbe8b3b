// The message as it arrives at a relay: composed, signed, threaded and tracked.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { authenticate } from 'mailauth';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { startTestApp } from '../../../../../../testing/app.ts';
import { startDns } from '../../../../../../testing/dns-server.ts';
import type { Composition } from '../../../../../protocols/mail/compose/composition.ts';
import { composeMail } from './compose.ts';
import { signer } from './signer.ts';

const received: { from: string; to: string[]; raw: Buffer }[] = [];
const relay = new SMTPServer({
  closeTimeout: 100,
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData(stream, session, done) {
    const { mailFrom, rcptTo } = session.envelope;
    buffer(stream).then((raw) => {
      received.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        raw: raw as Buffer,
      });
      done();
    }, done);
  },
});
await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
after(() => new Promise<void>((resolve) => relay.close(() => resolve())));
const dns = await startDns();
const { client, app } = await startTestApp({
  PARLEY_SMTP_URL: `smtp://127.0.0.1:${(relay.server.address() as AddressInfo).port}`,
  PARLEY_DNS_SERVERS: dns.address,
  PARLEY_MAIL_HOST: 'mx.parley.test',
});

const domain = (
  await client.request<EmailDomain>('POST', '/v1/email-domains', { kind: 'custom', domain: 'acme.example' })
).body;
for (const record of domain.dns_records) {
  const at = dns.records.get(record.name) ?? {};
  if (record.type === 'TXT') at.TXT = [record.value];
  else at.MX = [{ exchange: record.value, priority: 10 }];
  dns.records.set(record.name, at);
}
await client.request('POST', `/v1/email-domains/${domain.id}/verify`);

const send = async (body: object) => {
  const answer = await client.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@example.org'],
    subject: 'Hello',
    ...body,
  });
  assert.equal(answer.status, 201, answer.text);
  const got = received.find(({ raw }) => raw.includes(answer.body.id));
  return { email: answer.body, ...got!, parsed: await PostalMime.parse(got!.raw) };
};
const dkim = async (raw: Buffer) => {
  const resolver = async (name: string, type: string) => {
    const found = dns.records.get(name.toLowerCase());
    if (type === 'TXT' && found?.TXT) return found.TXT.map((text) => [text]);
    throw Object.assign(new Error('none'), { code: 'ENOTFOUND' });
  };
  const result = await authenticate(raw, {
    ip: '127.0.0.1',
    helo: 'x.test',
    sender: 'a@acme.example',
    resolver: resolver as never,
    disableArc: true,
  } as never);
  return result.dkim.results[0] as {
    status: { result: string; aligned: unknown };
    signingHeaders: { keys: string };
  };
};
const header = (parsed: { headers: { key: string; value: string }[] }, name: string) =>
  parsed.headers.find(({ key }) => key === name)?.value;

describe('a message', () => {
  test('is signed for its domain, and a receiver verifies it with the DNS record', async () => {
    for (const body of [
      { body_text: 'Plain words.' },
      { body_text: 'trailing blanks   \n\n\n', subject: 'Grüße  an   alle' },
      {
        body_html: '<p>Only <b>HTML</b> &amp; more</p>',
        to: ['Zoë Ünal <zoe@example.org>', 'b@example.org'],
      },
      { body_text: `${'long line '.repeat(300)}\n.\n..dots\n` },
      { headers: { 'X-Ticket': 'ü'.repeat(200) }, cc: ['c@example.org'], reply_to: 'desk@acme.example' },
      {},
    ]) {
      const { raw } = await send(body);
      const result = await dkim(raw);
      assert.equal(result.status.result, 'pass', JSON.stringify(body));
      assert.ok(result.status.aligned);
    }
  });

  test('that was changed on the way fails verification', async () => {
    const { raw } = await send({ body_text: 'Pay 10 euro' });
    const altered = Buffer.from(raw.toString('latin1').replace('Pay 10', 'Pay 99'), 'latin1');
    assert.notEqual((await dkim(altered)).status.result, 'pass');
    const second_from = Buffer.concat([Buffer.from('From: boss@acme.example\r\n'), raw]);
    assert.notEqual((await dkim(second_from)).status.result, 'pass');
  });

  test('has its own Message-ID, the display names, and a text part', async () => {
    const { email, parsed } = await send({
      from: 'Ana at Acme <sales@acme.example>',
      to: ['Zoë <zoe@example.org>'],
      body_html: '<h1>Offer</h1><p>See <a href="https://acme.example/x">this</a></p>',
      track_clicks: false,
      track_opens: false,
    });
    assert.equal(parsed.messageId, email.message_id);
    assert.deepEqual([parsed.from!.name, parsed.from!.address], ['Ana at Acme', 'sales@acme.example']);
    assert.deepEqual([parsed.to![0]!.name, parsed.to![0]!.address], ['Zoë', 'zoe@example.org']);
    assert.match(parsed.text!, /OFFER[\s\S]*this \[https:\/\/acme\.example\/x\]/i);
    assert.ok(parsed.html!.includes('<h1>Offer</h1>'));
    assert.equal(email.body_text, null);
  });

  test('hides blind copies, and sends international domains in ASCII', async () => {
    const { raw, to, parsed } = await send({ to: ['a@bücher.example'], bcc: ['secret@example.org'] });
    // smtp-server decodes the domains again.
    assert.deepEqual(to, ['a@bücher.example', 'secret@example.org']);
    assert.match(raw.toString(), /^To: a@xn--bcher-kva\.example\r$/m);
    assert.doesNotMatch(raw.toString(), /secret/);
    assert.equal(parsed.bcc, undefined);
  });

  test('has its own return path on the bounce host of the domain', async () => {
    const first = await send({});
    const second = await send({});
    assert.match(first.from, /^bounce-[a-z2-7]{39}@bounce\.acme\.example$/);
    assert.notEqual(first.from, second.from);
    assert.ok(app.mail_reports.isReturnPath(first.from));
    assert.ok(app.mail_reports.isReturnPath(first.from.toUpperCase()));
    assert.ok(
      !app.mail_reports.isReturnPath(first.from.replace(/-(.)/, (_, c) => `-${c === 'a' ? 'b' : 'a'}`)),
    );
  });

  test('offers one-click unsubscribe on request, covered by the signature', async () => {
    const { parsed, raw } = await send({ to: ['list@example.org'], list_unsubscribe: true });
    const link = /^<(http[^>]+)>$/.exec(header(parsed, 'list-unsubscribe')!)![1]!;
    assert.equal(header(parsed, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    const { signingHeaders } = await dkim(raw);
    assert.match(signingHeaders.keys, /List-Unsubscribe/i);
    assert.match(signingHeaders.keys, /List-Unsubscribe-Post/i);
    assert.equal((await fetch(link)).status, 200);
    const still = await client.request('POST', '/v1/emails', {
      recipient_consent: true,
      to: ['list@example.org'],
      subject: 'Looking is not leaving',
    });
    assert.equal(still.status, 201);
    const form = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    assert.equal((await fetch(link, { method: 'POST', body: form, redirect: 'manual' })).status, 200);
    const refused = await client.request('POST', '/v1/emails', {
      recipient_consent: true,
      to: ['list@example.org'],
      subject: 'More',
    });
    assert.equal(refused.body.code, 'recipient_suppressed');
    const forged = link.slice(0, -2) + (link.endsWith('A') ? 'BB' : 'AA');
    assert.equal((await fetch(forged, { method: 'POST', body: form })).status, 403);
  });
});

describe('a conversation', () => {
  test('continues with in_reply_to, with correct threading headers', async () => {
    const first = await send({ subject: 'Order 1' });
    const second = await send({ subject: 'About something else', in_reply_to: first.email.id });
    assert.equal(second.email.conversation_id, first.email.conversation_id);
    assert.equal(header(second.parsed, 'in-reply-to'), first.email.message_id);
    assert.equal(header(second.parsed, 'references'), first.email.message_id);
    const third = await send({ subject: 'x', in_reply_to: second.email.message_id });
    assert.deepEqual(third.email.references_ids, [first.email.message_id, second.email.message_id]);
    assert.equal(third.email.conversation_id, first.email.conversation_id);
    const other = await send({ subject: 'y', in_reply_to: '<abc@elsewhere.example>' });
    assert.equal(other.email.in_reply_to, '<abc@elsewhere.example>');
    assert.notEqual(other.email.conversation_id, first.email.conversation_id);
  });

  test('continues with the same subject and addresses, but not with one of them alone', async () => {
    const first = await send({ subject: 'Invoice 7', to: ['p@example.org'] });
    assert.equal(
      (await send({ subject: 'RE: Fwd: invoice  7', to: ['P@example.org'] })).email.conversation_id,
      first.email.conversation_id,
    );
    assert.notEqual(
      (await send({ subject: 'Invoice 7', to: ['q@example.org'] })).email.conversation_id,
      first.email.conversation_id,
    );
    assert.notEqual(
      (await send({ subject: 'Invoice 8', to: ['p@example.org'] })).email.conversation_id,
      first.email.conversation_id,
    );
  });

  test('continues with a reply: same addresses, same sender, one Re:', async () => {
    const first = await send({
      subject: 'Order 2',
      from: 'sales@acme.example',
      to: ['bob@example.org'],
      cc: ['carol@example.org'],
    });
    const reply = async (id: string, body: object = {}) => {
      const answer = await client.request<Email>('POST', `/v1/emails/${id}/reply`, {
        recipient_consent: true,
        body_text: 'More',
        ...body,
      });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };
    const second = await reply(first.email.id);
    assert.deepEqual(
      [second.subject, second.from_address, second.to_addresses, second.cc_addresses],
      ['Re: Order 2', 'sales@acme.example', ['bob@example.org'], []],
    );
    assert.equal(second.in_reply_to, first.email.message_id);
    assert.equal(second.conversation_id, first.email.conversation_id);
    const third = await reply(second.id, { reply_all: true });
    assert.equal(third.subject, 'Re: Order 2');
    assert.deepEqual((await reply(first.email.id, { reply_all: true })).cc_addresses, ['carol@example.org']);
    const unwilling = await client.request('POST', `/v1/emails/${first.email.id}/reply`, { body_text: 'x' });
    assert.equal(unwilling.body.code, 'consent_required');
  });
});

const file = { filename: 'file.bin', content_type: 'application/octet-stream', size_bytes: 10 };
const withFiles = (attachments: Composition['attachments']): Composition => ({
  email_id: '019a8c1e-8d20-7b55-a1c3-6e7f80911223',
  message_id: '<x@big.example>',
  date: new Date(),
  from: { name: '', address: 'a@big.example' },
  to: [{ name: '', address: 'b@example.org' }],
  cc: [],
  reply_to: null,
  subject: 'Big',
  text: 'See the file',
  html: null,
  in_reply_to: null,
  references: [],
  headers: {},
  attachments,
});

test('a message with a large attachment is signed without being held in memory', async () => {
  const { sign, close } = signer();
  after(close);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  dns.records.set('s._domainkey.big.example', {
    TXT: [`v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`],
  });
  const composition = withFiles([
    {
      ...file,
      size_bytes: 25 * 1024 * 1024,
      open: async () => Readable.from(Array.from({ length: 25 }, () => Buffer.alloc(1024 * 1024))),
    },
  ]);
  const composed = await composeMail(
    composition,
    { domain: 'big.example', selector: 's', key: privateKey },
    { unsigned: [], sign },
  );
  const content = composed.content();
  assert.ok(!Buffer.isBuffer(content));
  const raw = await buffer(content);
  assert.equal(raw.length, composed.size_bytes);
  assert.equal((await dkim(raw as Buffer)).status.result, 'pass');
  await composed.dispose();
});

test('a message with a missing file closes the other files', async () => {
  const others = [Readable.from(['x']), Readable.from(['y'])];
  const gone = async () => {
    throw new Error('gone');
  };
  const attachments = [others[0]!, null, others[1]!].map((content) => ({
    ...file,
    open: content ? async () => content : gone,
  }));
  await assert.rejects(
    composeMail(withFiles(attachments), null, { unsigned: [], sign: async () => '' }),
    /gone/,
  );
  assert.deepEqual(
    others.map((content) => content.destroyed),
    [true, true],
  );
});
