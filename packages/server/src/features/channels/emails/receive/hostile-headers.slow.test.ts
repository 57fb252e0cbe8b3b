// Hostile headers that are slow to parse (M2): every message gets an SMTP reply, and the service keeps responding.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limits } from '@parley/contract/limits';
import { confirmInSandbox } from '../../../../../testing/forwards.ts';
import {
  combined,
  combineHeaders,
  type HostileHeader,
  hostile_headers,
  hostileMessage,
  hostilePart,
} from '../../../../../testing/hostile-headers.ts';
import { createMailbox, receivedEmails, startMailApp } from '../../../../../testing/mail-app.ts';
import { deliver, rawMessage } from '../../../../../testing/smtp-client.ts';

const {
  client,
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

const all_health: number[] = [];

/** Delivers the messages one after the other, while /healthz is requested all the time. Returns the SMTP replies. */
async function send(messages: Iterable<Buffer>, recipient: string): Promise<string[]> {
  const replies: string[] = [];
  for (const raw of messages) {
    const delivery = deliver(port, { from: 'a@sender.test', to: recipient, raw });
    all_health.push((await fetch(`${url}/healthz`)).status);
    replies.push(await delivery);
  }
  return replies;
}

const accepted = /^250 2\.6\.0 /;
const over_limit = /^552 5\.3\.4 /;
/** `554`: the header is not that of a message. */
const expected_reply = /^(250 2\.6\.0|552 5\.3\.4|554 5\.6\.0) /;

type Sizes = { bytes: number; short_lines_bytes: number };

/**
 * Sends every header: different fields together in one message, and separately if that message is refused. A header with
 * too many lines is sent again just below the limit of lines. These sizes reach every parser; the bench row
 * `inbound-hostile` measures every header alone and up to the limit of bytes.
 */
async function sendAll(
  headers: readonly HostileHeader[],
  recipient: string,
  { bytes, short_lines_bytes }: Sizes,
  messageOf: (header: HostileHeader, bytes: number) => Buffer,
): Promise<void> {
  const sendOne = async (header: HostileHeader, size: number): Promise<string> => {
    const [reply] = await send([messageOf(header, size)], recipient);
    assert.match(reply!, expected_reply, header.name);
    return reply!;
  };
  for (const group of combineHeaders(headers)) {
    if (group.length > 1 && accepted.test(await sendOne(combined(group), bytes))) continue;
    for (const header of group) {
      if (!over_limit.test(await sendOne(header, bytes))) continue;
      assert.doesNotMatch(await sendOne(header, short_lines_bytes), over_limit, header.name);
    }
  }
}

const message_sizes = { bytes: 60_000, short_lines_bytes: 5_900 };
const part_sizes = { bytes: 30_000, short_lines_bytes: 580 };

describe('every message with a slow header gets a reply, and the service responds meanwhile (M2)', () => {
  test('in a message that the DKIM library verifies', () =>
    sendAll(hostile_headers, to, message_sizes, (each, bytes) => hostileMessage(each, bytes, to)));

  test('in a message that our own DKIM verifier verifies', () => {
    // It reads signatures and the list of fields, but parses no other field.
    const cases = hostile_headers.filter(({ field }) => field === null || field === 'DKIM-Signature');
    return sendAll(cases, to, message_sizes, (each, bytes) =>
      hostileMessage(each, bytes, to, 'a@sender.test'),
    );
  });

  test('in a part', () => {
    const cases = hostile_headers.filter(({ name }) => /^(Content-|one field|many|lines|Subject)/.test(name));
    return sendAll(cases, to, part_sizes, (each, bytes) => hostilePart(each, bytes, to));
  });

  test('in a message to a return path', async () => {
    const return_path = await returnPath();
    const cases = hostile_headers.filter(({ name }) =>
      /^(From|To|Subject|Message-ID|Content-Type|one field|many|lines|blanks)/.test(name),
    );
    await sendAll(cases, return_path, message_sizes, (each, bytes) =>
      hostileMessage(each, bytes, return_path),
    );
  });

  test('in a message that is forwarded', async () => {
    const { id, default_address } = await createMailbox(own);
    await own.request('PATCH', `/v1/email-domains/${id}`, { forward_to: ['bob@example.org'] });
    await app.jobs.drain();
    await confirmInSandbox(client, 'bob@example.org');
    const cases = hostile_headers.filter(({ name }) => /^(blanks|DKIM-Signature: (blanks|many))/.test(name));
    const replies = await send(
      cases.map((each) => hostileMessage(each, 64_000, default_address)),
      default_address,
    );
    for (const reply of replies) assert.match(reply, accepted);
    await app.jobs.drain();
    const outbox = await own.request<{ items: { to: string[] }[] }>('GET', '/v1/sandbox/outbox?limit=200');
    const forwarded = outbox.body.items.filter(({ to: [first] }) => first === 'bob@example.org');
    assert.ok(forwarded.length >= cases.length, String(forwarded.length));
  });

  test('/healthz responded during every message', () => {
    assert.ok(all_health.length > 80, String(all_health.length));
    assert.deepEqual([...new Set(all_health)], [200]);
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

test('a message with a hostile signature header is stored, with its signatures counted as failed (M2)', async () => {
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
  assert.deepEqual([dkim_verdict, spf_verdict, dmarc_verdict], ['FAIL', 'PASS', 'GRAY']);
});
