// Hostile headers that are slow to parse (M2): the event loop is never blocked, and every message gets an SMTP reply.
// Runs in its own process: it measures the processor time of the event loop.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { limits } from '@parley/contract/limits';
import { watchEventLoop } from '../../../../testing/event-loop.ts';
import { confirmInSandbox } from '../../../../testing/forwards.ts';
import {
  type HostileHeader,
  hostile_headers,
  hostileMessage,
  hostilePart,
} from '../../../../testing/hostile-headers.ts';
import { createMailbox, receivedEmails, startMailApp } from '../../../../testing/mail-app.ts';
import { deliver, rawMessage } from '../../../../testing/smtp-client.ts';

const {
  app,
  dns,
  organization,
  smtp_port: port,
  url,
} = await startMailApp({
  PARLEY_INBOUND_PEER_MESSAGES_PER_MINUTE: '1000000',
  PARLEY_INBOUND_EMAILS_PER_MINUTE: '1000000',
});

const own = organization();
const { default_address: to } = await createMailbox(own);

/** The return path of a sent email. Every recipient of an email has such an address. */
const returnPath = async (): Promise<string> => {
  await own.request('POST', '/v1/emails', { recipient_consent: true, to: ['bob@example.org'], subject: 'x' });
  const outbox = await own.request<{ items: { from: string }[] }>('GET', '/v1/sandbox/outbox');
  return outbox.body.items[0]!.from;
};

/** With short lines the first size is just below the limit of lines; the last is just below the limit of bytes. */
const sizes = [7_900, 64_000, 250_000];
const most_ms = 100;
const loop = watchEventLoop();
after(() => loop.stop());

/** The status codes of /healthz during the whole run: the service must respond while it handles each message. */
const health: number[] = [];
const healthz = async () => health.push((await fetch(`${url}/healthz`)).status);

const send = async (messages: Buffer[], recipient: string): Promise<string[]> => {
  const deliveries = messages.map((raw) => deliver(port, { from: 'a@sender.test', to: recipient, raw }));
  await healthz();
  const replies = await Promise.all(deliveries);
  await healthz();
  return replies;
};

const expected_reply = /^(250 2\.6\.0|552 5\.3\.4|554 5\.6\.0) /;
type Slow = { name: string; ms: number };

/** The cases that blocked the event loop for too long. */
const slowOf = async (
  cases: readonly HostileHeader[],
  recipient: string,
  messages: (each: HostileHeader) => Buffer[],
): Promise<Slow[]> => {
  const slow: Slow[] = [];
  for (const each of cases) {
    const prepared = messages(each);
    loop.longest_ms();
    for (const reply of await send(prepared, recipient)) assert.match(reply, expected_reply, each.name);
    const ms = loop.longest_ms();
    if (ms > most_ms) slow.push({ name: each.name, ms });
  }
  return slow;
};

describe('a slow header does not block the event loop for more than 100 ms (M2)', () => {
  let return_path = '';
  before(async () => {
    return_path = await returnPath();
    // Warm-up: loads and compiles the code.
    for (const each of hostile_headers.slice(0, 5)) await send([hostileMessage(each, 1000, to)], to);
    await send([Buffer.from(rawMessage({ to: return_path }))], return_path);
  });

  test('in a message', async () => {
    const slow = await slowOf(hostile_headers, to, (each) => [
      ...sizes.map((bytes) => hostileMessage(each, bytes, to)),
      hostileMessage(each, 64_000, to, 'a@sender.test'),
    ]);
    assert.deepEqual(slow, []);
  });

  test('in a part', async () => {
    const cases = hostile_headers.filter(({ name }) => /^(Content-|one field|many|lines|Subject)/.test(name));
    const slow = await slowOf(cases, to, (each) => [
      hostilePart(each, 30_000, to),
      hostilePart(each, 4000, to),
    ]);
    assert.deepEqual(slow, []);
  });

  test('in a message to a return path', async () => {
    const cases = hostile_headers.filter(({ name }) =>
      /^(From|To|Subject|Message-ID|Content-Type|one field|many|lines|blanks)/.test(name),
    );
    const slow = await slowOf(cases, return_path, (each) => [hostileMessage(each, 64_000, return_path)]);
    assert.deepEqual(slow, []);
  });

  test('in a message that is forwarded', async () => {
    const { id, default_address } = await createMailbox(own);
    await own.request('PATCH', `/v1/email-domains/${id}`, { forward_to: ['bob@example.org'] });
    await app.jobs.drain();
    await confirmInSandbox(own, 'bob@example.org');
    const cases = hostile_headers.filter(({ name }) => /^(blanks|DKIM-Signature: (blanks|many))/.test(name));
    for (const each of cases) {
      const raw = hostileMessage(each, 64_000, default_address);
      assert.match(await deliver(port, { from: 'a@sender.test', to: default_address, raw }), /^250/);
    }
    loop.longest_ms();
    await app.jobs.drain();
    const ms = loop.longest_ms();
    assert.ok(ms < most_ms, `${ms} ms`);
    const outbox = await own.request<{ items: { to: string[] }[] }>('GET', '/v1/sandbox/outbox?limit=200');
    const forwarded = outbox.body.items.filter(({ to: [first] }) => first === 'bob@example.org');
    assert.ok(forwarded.length >= cases.length, String(forwarded.length));
  });

  test('/healthz responds all the time', () => {
    assert.ok(health.length > 500, String(health.length));
    assert.deepEqual([...new Set(health)], [200]);
  });
});

const received = async (subject: string) =>
  (await receivedEmails(own)).find((email) => email.subject === subject);

describe('a header over the limit is refused, and the reply names the limit (M2)', () => {
  const field = (line: string, count: number) => `${line}\r\n`.repeat(count);
  const start = `From: a@b.test\r\nTo: ${to}\r\n`;
  const part = `${start}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n`;
  for (const [name, raw, expected] of [
    [
      'lines',
      `${start}X-A: a\r\n${field(' x', limits.inbound_header_lines)}\r\nHi\r\n`,
      /^552 5\.3\.4 The header has more than 2000 lines/,
    ],
    [
      'bytes',
      `${start}${field(`X-A: ${'a'.repeat(900)}`, 300)}\r\nHi\r\n`,
      /^552 5\.3\.4 The header has more than 262144 bytes/,
    ],
    [
      'bytes without an end',
      `${start}${field(`X-A: ${'a'.repeat(900)}`, 300)}`,
      /^552 5\.3\.4 The header has more than 262144 bytes/,
    ],
    [
      'lines of a part',
      `${part}X-A: a\r\n${field(' x', limits.inbound_part_header_lines)}\r\nHi\r\n--b--\r\n`,
      /^552 5\.3\.4 The header of a part has more than 200 lines/,
    ],
    [
      'bytes of a part',
      `${part}${field(`X-A: ${'a'.repeat(900)}`, 40)}\r\nHi\r\n--b--\r\n`,
      /^552 5\.3\.4 The header of a part has more than 32768 bytes/,
    ],
  ] as const) {
    test(name, async () => {
      assert.match(await deliver(port, { to, raw }), expected);
      const sandbox = await own.request<{ code: string; detail: string }>(
        'POST',
        '/v1/sandbox/inbound-emails',
        { raw, to: [to] },
      );
      assert.deepEqual([sandbox.status, sandbox.body.code], [422, 'inbound_message_refused']);
    });
  }

  test('a header at the limit is accepted', async () => {
    const raw = rawMessage({
      to,
      subject: 'Long',
      headers: ['X-A: a', ...Array.from({ length: limits.inbound_header_lines - 6 }, () => ' x')],
    });
    assert.match(await deliver(port, { to, raw }), /^250/);
    assert.ok(await received('Long'));
  });
});

test('a message with a hostile signature header is stored, with verdicts that say it was not verified (M2)', async () => {
  dns.records.set('padded.test', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] });
  const padding = Array.from({ length: 20 }, () => ' '.repeat(900)).join('\r\n');
  const raw = rawMessage({
    to,
    subject: 'Padded',
    from: 'a@padded.test',
    headers: [`DKIM-Signature: v=1; a=rsa-sha256; d=padded.test; s=s; b=\r\n${padding}x`],
  });
  assert.match(await deliver(port, { from: 'a@padded.test', to, raw }), /^250/);
  const email = await received('Padded');
  const { dkim_verdict, spf_verdict, dmarc_verdict } = email!;
  assert.deepEqual(
    [dkim_verdict, spf_verdict, dmarc_verdict],
    ['PROCESSING_FAILED', 'PASS', 'PROCESSING_FAILED'],
  );
});
