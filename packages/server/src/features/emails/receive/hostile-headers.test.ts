// Headers that are made to be slow (M2): whatever strangers send, the event loop keeps turning and every message gets its answer.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Email } from '@parley/contract/email-records';
import { limits } from '@parley/contract/limits';
import { startTestApp } from '../../../../testing/app.ts';
import { startDns } from '../../../../testing/dns-server.ts';
import { watchEventLoop } from '../../../../testing/event-loop.ts';
import { confirmInSandbox } from '../../../../testing/forwards.ts';
import {
  type HostileHeader,
  hostile_headers,
  hostileMessage,
  hostilePart,
} from '../../../../testing/hostile-headers.ts';
import { deliver, letter } from '../../../../testing/smtp-client.ts';

const dns = await startDns();
const { app, organization, url } = await startTestApp({
  PARLEY_DNS_SERVERS: dns.address,
  PARLEY_INBOUND_PEER_MESSAGES_PER_MINUTE: '1000000',
  PARLEY_INBOUND_EMAILS_PER_MINUTE: '1000000',
});
const port = await app.smtp.listen();
after(() => app.smtp.close());

const own = organization();
const box = await own.request<{ default_address: string }>('POST', '/v1/email-domains', {
  kind: 'service_mail',
  local_prefix_user: 'ana',
  local_prefix_org: 'acme',
});
const to = box.body.default_address;

/** Where bounces of an email come back to: everybody who got an email from us knows such an address. */
const returnPath = async (): Promise<string> => {
  await own.request('POST', '/v1/emails', { recipient_consent: true, to: ['bob@example.org'], subject: 'x' });
  const outbox = await own.request<{ items: { from: string }[] }>('GET', '/v1/sandbox/outbox');
  return outbox.body.items[0]!.from;
};

/** The first has just fewer lines than are allowed, where lines are short; the last just fewer bytes. */
const sizes = [7_900, 64_000, 250_000];
const most_ms = 100;
const loop = watchEventLoop();
after(() => loop.stop());

/** Answers of the whole run; the service must be alive while it works on each message. */
const health: number[] = [];
const healthz = async () => health.push((await fetch(`${url}/healthz`)).status);

const send = async (messages: Buffer[], recipient: string): Promise<string[]> => {
  const answers = messages.map((raw) => deliver(port, { from: 'a@sender.test', to: recipient, raw }));
  await healthz();
  const answered = await Promise.all(answers);
  await healthz();
  return answered;
};

const proper = /^(250 2\.6\.0|552 5\.3\.4|554 5\.6\.0) /;
type Slow = { name: string; ms: number };

/** Those that kept the event loop busy for too long. */
const slowOf = async (
  cases: readonly HostileHeader[],
  recipient: string,
  messages: (each: HostileHeader) => Buffer[],
): Promise<Slow[]> => {
  const slow: Slow[] = [];
  for (const each of cases) {
    const made = messages(each);
    loop.longest_ms();
    for (const answer of await send(made, recipient)) assert.match(answer, proper, each.name);
    const ms = loop.longest_ms();
    if (ms > most_ms) slow.push({ name: each.name, ms });
  }
  return slow;
};

describe('with headers that are made to be slow, no turn of the event loop takes more than 100 ms (M2)', () => {
  let return_path = '';
  before(async () => {
    return_path = await returnPath();
    // What is loaded and compiled only once.
    for (const each of hostile_headers.slice(0, 5)) await send([hostileMessage(each, 1000, to)], to);
    await send([Buffer.from(letter({ to: return_path }))], return_path);
  });

  test('of the message', async () => {
    const slow = await slowOf(hostile_headers, to, (each) => [
      ...sizes.map((bytes) => hostileMessage(each, bytes, to)),
      hostileMessage(each, 64_000, to, 'a@sender.test'),
    ]);
    assert.deepEqual(slow, []);
  });

  test('of a part', async () => {
    const cases = hostile_headers.filter(({ name }) => /^(Content-|one field|many|lines|Subject)/.test(name));
    const slow = await slowOf(cases, to, (each) => [
      hostilePart(each, 30_000, to),
      hostilePart(each, 4000, to),
    ]);
    assert.deepEqual(slow, []);
  });

  test('of a message to the return path of an email', async () => {
    const cases = hostile_headers.filter(({ name }) =>
      /^(From|To|Subject|Message-ID|Content-Type|one field|many|lines|blanks)/.test(name),
    );
    const slow = await slowOf(cases, return_path, (each) => [hostileMessage(each, 64_000, return_path)]);
    assert.deepEqual(slow, []);
  });

  test('of a message that is forwarded', async () => {
    const box = await own.request<{ id: string; default_address: string }>('POST', '/v1/email-domains', {
      kind: 'service_mail',
      local_prefix_user: 'forward',
      local_prefix_org: 'acme',
    });
    await own.request('PATCH', `/v1/email-domains/${box.body.id}`, { forward_to: ['bob@example.org'] });
    await app.jobs.drain();
    await confirmInSandbox(own, 'bob@example.org');
    const cases = hostile_headers.filter(({ name }) => /^(blanks|DKIM-Signature: (blanks|many))/.test(name));
    for (const each of cases) {
      const raw = hostileMessage(each, 64_000, box.body.default_address);
      assert.match(await deliver(port, { from: 'a@sender.test', to: box.body.default_address, raw }), /^250/);
    }
    loop.longest_ms();
    await app.jobs.drain();
    const ms = loop.longest_ms();
    assert.ok(ms < most_ms, `${ms} ms`);
    const outbox = await own.request<{ items: { to: string[] }[] }>('GET', '/v1/sandbox/outbox?limit=200');
    const forwarded = outbox.body.items.filter(({ to: [first] }) => first === 'bob@example.org');
    assert.ok(forwarded.length >= cases.length, String(forwarded.length));
  });

  test('/healthz answered all the while', () => {
    assert.ok(health.length > 500, String(health.length));
    assert.deepEqual([...new Set(health)], [200]);
  });
});

const received = async (subject: string): Promise<Email | undefined> => {
  const list = await own.request<{ items: { id: string; subject: string }[] }>(
    'GET',
    '/v1/emails?limit=5&direction=inbound',
  );
  const found = list.body.items.find((email) => email.subject === subject);
  return found && (await own.request<Email>('GET', `/v1/emails/${found.id}`)).body;
};

describe('a header that is too long is refused with its limit (M2)', () => {
  const field = (line: string, count: number) => `${line}\r\n`.repeat(count);
  const usual = `From: a@b.test\r\nTo: ${to}\r\n`;
  const part = `${usual}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n`;
  for (const [name, raw, answer] of [
    [
      'lines',
      `${usual}X-A: a\r\n${field(' x', limits.inbound_header_lines)}\r\nHi\r\n`,
      /^552 5\.3\.4 The header has more than 2000 lines/,
    ],
    [
      'bytes',
      `${usual}${field(`X-A: ${'a'.repeat(900)}`, 300)}\r\nHi\r\n`,
      /^552 5\.3\.4 The header has more than 262144 bytes/,
    ],
    [
      'bytes without an end',
      `${usual}${field(`X-A: ${'a'.repeat(900)}`, 300)}`,
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
      assert.match(await deliver(port, { to, raw }), answer);
      const sandbox = await own.request<{ code: string; detail: string }>(
        'POST',
        '/v1/sandbox/inbound-emails',
        { raw, to: [to] },
      );
      assert.deepEqual([sandbox.status, sandbox.body.code], [422, 'inbound_message_refused']);
    });
  }

  test('as long as allowed is taken', async () => {
    const raw = letter({
      to,
      subject: 'Long',
      headers: ['X-A: a', ...Array.from({ length: limits.inbound_header_lines - 6 }, () => ' x')],
    });
    assert.match(await deliver(port, { to, raw }), /^250/);
    assert.ok(await received('Long'));
  });
});

test('a message whose header no mail program writes is kept, and its verdicts say that it was not verified (M2)', async () => {
  dns.records.set('padded.test', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] });
  const padding = Array.from({ length: 20 }, () => ' '.repeat(900)).join('\r\n');
  const raw = letter({
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
