// Relays of every kind, as scripted dialogues: which commands the client sends, and how it reads the replies.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { message, relayOf } from '../../../../testing/scripted-relay.ts';
import { outgoing } from '../conformance.ts';

const never = new AbortController().signal;

describe('the extensions of a relay', () => {
  test('decide whether commands are pipelined or sent one by one', async () => {
    const quick = await relayOf({ offers: ['PIPELINING', 'SIZE 1000000', '8BITMIME', 'DSN'] });
    const mail = outgoing(['bob@example.org', 'carol@example.org']);
    assert.ok((await quick.transport().send(mail, never)).accepted);
    const size = mail.message!.size_bytes;
    assert.deepEqual(quick.packets.at(-1), [
      `MAIL FROM:<bounce-x@sender.test> SIZE=${size} RET=HDRS ENVID=${mail.email_id}`,
      'RCPT TO:<bob@example.org> NOTIFY=FAILURE,DELAY',
      'RCPT TO:<carol@example.org> NOTIFY=FAILURE,DELAY',
      'DATA',
    ]);
    const plain = await relayOf({ offers: [] });
    assert.ok((await plain.transport().send(outgoing(['bob@example.org']), never)).accepted);
    assert.deepEqual(plain.packets, [
      ['EHLO sender.test'],
      ['MAIL FROM:<bounce-x@sender.test>'],
      ['RCPT TO:<bob@example.org>'],
      ['DATA'],
    ]);
  });

  test('may be none: a relay with only HELO gets its message', async () => {
    const old = await relayOf({ answers: { EHLO: '502 What?' } });
    assert.ok((await old.transport().send(outgoing(['bob@example.org']), never)).accepted);
    assert.ok(old.said().includes('HELO sender.test'));
  });

  test('include a size limit: a larger message is not sent', async () => {
    const small = await relayOf({ offers: ['SIZE 10'] });
    const outcome = await small.transport().send(outgoing(['bob@example.org']), never);
    assert.ok(!outcome.accepted && outcome.reason === 'smtp_rejected' && !outcome.retryable);
    assert.ok(!small.said().some((line) => line.startsWith('MAIL')));
  });

  test('include SMTPUTF8, or addresses beyond ASCII are refused before anything is sent', async () => {
    const modern = await relayOf({ offers: ['PIPELINING', '8BITMIME', 'SMTPUTF8'] });
    const letters = Buffer.from('Subject: é\r\n\r\nGrüße\r\n');
    assert.ok(
      (await modern.transport().send(outgoing(['zoë@example.org'], message(letters)), never)).accepted,
    );
    assert.ok(modern.said().includes('MAIL FROM:<bounce-x@sender.test> BODY=8BITMIME SMTPUTF8'));
    assert.ok(modern.said().includes('RCPT TO:<zoë@example.org>'));
    assert.equal(modern.contents[0], letters.toString());
    const old = await relayOf({});
    const outcome = await old.transport().send(outgoing(['zoë@example.org']), never);
    assert.ok(!outcome.accepted && outcome.reason === 'smtp_rejected');
  });
});

describe('a message on the wire', () => {
  const awkward = '.\r\n..two\r\n.one\r\nplain\r\n\r\n.\r\n';
  const doubled = '..\r\n...two\r\n..one\r\nplain\r\n\r\n..\r\n';

  test('has its leading dots doubled, in memory or streamed in any chunks', async () => {
    const relay = await relayOf({});
    const transport = relay.transport();
    await transport.send(outgoing(['bob@example.org'], message(Buffer.from(awkward))), never);
    const bytes = [...Buffer.from(awkward)].map((byte) => Buffer.from([byte]));
    await transport.send(
      outgoing(
        ['bob@example.org'],
        message(() => Readable.from(bytes)),
      ),
      never,
    );
    assert.deepEqual(relay.contents, [doubled, doubled]);
  });

  test('ends with a complete line, and no bare line feed can end it early', async () => {
    const relay = await relayOf({});
    const transport = relay.transport();
    const smuggled = 'a\n.\r\nMAIL FROM:<eve@example.org>\nno end';
    await transport.send(outgoing(['bob@example.org'], message(Buffer.from(smuggled))), never);
    await transport.send(
      outgoing(
        ['bob@example.org'],
        message(() => Readable.from([Buffer.from(smuggled)])),
      ),
      never,
    );
    const safe = 'a\r\n..\r\nMAIL FROM:<eve@example.org>\r\nno end\r\n';
    assert.deepEqual(relay.contents, [safe, safe]);
  });

  test('that cannot be read to its end is not accepted as complete', async () => {
    const relay = await relayOf({});
    async function* broken() {
      yield Buffer.from('Subject: half\r\n\r\n');
      throw new Error('the disk is gone');
    }
    const outcome = await relay.transport().send(
      outgoing(
        ['bob@example.org'],
        message(() => Readable.from(broken())),
      ),
      never,
    );
    assert.equal(outcome.accepted, false);
    assert.deepEqual(relay.contents, []);
  });
});

describe('a relay that behaves oddly', () => {
  test('and accepts DATA after it refused every recipient gets no message, and is used again', async () => {
    const relay = await relayOf({
      answers: { 'RCPT TO:<no': '550 5.1.1 No such user', '.': ['554 No recipients', '250 Ok'] },
    });
    const transport = relay.transport();
    const outcome = await transport.send(outgoing(['no@example.org']), never);
    assert.ok(
      !outcome.accepted &&
        outcome.reason === 'smtp_rejected' &&
        /5\.1\.1/.test(String(outcome.detail.response)),
    );
    assert.deepEqual(relay.contents, ['']);
    assert.ok((await transport.send(outgoing(['bob@example.org']), never)).accepted);
    assert.equal(relay.connections(), 1);
  });

  test('and says goodbye on a pooled connection gets the message over a new one', async () => {
    const relay = await relayOf({ answers: { MAIL: ['250 Ok', '421 4.4.2 Idle for too long', '250 Ok'] } });
    const transport = relay.transport();
    for (let each = 0; each < 2; each++)
      assert.ok((await transport.send(outgoing(['bob@example.org']), never)).accepted);
    assert.equal(relay.connections(), 2);
    assert.equal(relay.contents.length, 2);
  });

  test('and accepts recipients after it refused the sender gets no message', async () => {
    const relay = await relayOf({ answers: { MAIL: '550 5.7.1 Not from you' } });
    const outcome = await relay.transport().send(outgoing(['bob@example.org']), never);
    assert.ok(!outcome.accepted && outcome.reason === 'smtp_rejected');
    assert.deepEqual([outcome.detail.command, relay.contents], ['MAIL FROM', ['']]);
  });

  test('and closes the connection after the content does not get the message again', async () => {
    const relay = await relayOf({ answers: { '.': ['250 Ok', null] } });
    const transport = relay.transport();
    assert.ok((await transport.send(outgoing(['bob@example.org']), never)).accepted);
    const outcome = await transport.send(outgoing(['bob@example.org']), never);
    assert.ok(!outcome.accepted && outcome.reason === 'connection_failed' && outcome.retryable);
    assert.equal(relay.contents.length, 2);
  });

  test('and replies in many lines is quoted with all of them', async () => {
    const relay = await relayOf({ answers: { RCPT: '550-5.7.1 Not\r\n550 5.7.1 you' } });
    const outcome = await relay.transport().send(outgoing(['bob@example.org']), never);
    assert.equal(!outcome.accepted && outcome.detail.response, '550-5.7.1 Not\n550 5.7.1 you');
  });

  test('and refuses the connection temporarily can be retried', async () => {
    for (const [greeting, retryable] of [
      ['421 Later', true],
      ['554 Go away', false],
    ] as const) {
      const relay = await relayOf({ greeting });
      const outcome = await relay.transport().send(outgoing(['bob@example.org']), never);
      assert.ok(!outcome.accepted && outcome.reason === 'smtp_rejected');
      assert.equal(outcome.retryable, retryable);
    }
  });
});

describe('encryption', () => {
  test('is used if it is offered, and extensions from before it are discarded', async () => {
    const relay = await relayOf({ offers: ['PIPELINING', 'STARTTLS'] });
    const mail = outgoing(['bob@example.org']);
    assert.ok((await relay.transport({ tls: 'required' }).send(mail, never)).accepted);
    assert.equal(relay.said().filter((line) => line.startsWith('EHLO')).length, 2);
    assert.ok(relay.contents[0]!.includes(mail.email_id));
  });

  test('with a certificate for another name fails', async () => {
    const relay = await relayOf({ offers: ['STARTTLS'] });
    const outcome = await relay
      .transport({ url: `smtp://127.0.0.1:${relay.port}` })
      .send(outgoing(['bob@example.org']), never);
    assert.ok(!outcome.accepted && outcome.reason === 'connection_failed');
    assert.deepEqual(relay.contents, []);
  });

  test('is not started if data was injected before it', async () => {
    const slip = (socket: Socket) => void socket.write('220 Go on\r\n250 Slipped in\r\n');
    const relay = await relayOf({ offers: ['STARTTLS'], answers: { STARTTLS: slip } });
    const outcome = await relay.transport().send(outgoing(['bob@example.org']), never);
    assert.equal(outcome.accepted, false);
    assert.deepEqual(relay.contents, []);
  });
});

describe('a password', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const url = (port: number) => `smtp://agent:p%40ss@localhost:${port}`;
  const ways = {
    'PLAIN LOGIN': [`AUTH PLAIN ${base64('\0agent\0p@ss')}`],
    LOGIN: ['AUTH LOGIN', base64('agent'), base64('p@ss')],
    'CRAM-MD5': [
      'AUTH CRAM-MD5',
      base64(`agent ${createHmac('md5', 'p@ss').update('<1@relay.test>').digest('hex')}`),
    ],
  };
  for (const [offered, words] of Object.entries(ways)) {
    test(`is sent with a mechanism that the relay offers: ${offered}`, async () => {
      const challenge = offered === 'CRAM-MD5' ? base64('<1@relay.test>') : base64('Username:');
      const answers = Object.fromEntries(
        words.map((line, at) => [line, at < words.length - 1 ? `334 ${challenge}` : '235 Ok']),
      );
      const relay = await relayOf({ offers: ['STARTTLS', `AUTH ${offered}`], answers });
      const outcome = await relay
        .transport({ url: url(relay.port) })
        .send(outgoing(['bob@example.org']), never);
      assert.ok(outcome.accepted, JSON.stringify(outcome));
      assert.deepEqual(relay.said().slice(3, 3 + words.length), words);
    });
  }

  for (const [reply, retryable] of [
    ['454 4.7.0 Temporary authentication failure', true],
    ['535 5.7.8 Wrong password', false],
  ] as const) {
    test(`that the relay answers with ${reply} is ${retryable ? '' : 'not '}tried again later`, async () => {
      const relay = await relayOf({
        offers: ['STARTTLS', 'AUTH PLAIN'],
        answers: { [ways['PLAIN LOGIN'][0]!]: reply },
      });
      const outcome = await relay
        .transport({ url: url(relay.port) })
        .send(outgoing(['bob@example.org']), never);
      assert.ok(!outcome.accepted);
      assert.equal(outcome.retryable, retryable);
    });
  }

  test('is not sent in clear text, unless encryption is turned off', async () => {
    const answers = { 'AUTH PLAIN': '235 Ok' };
    for (const [offers, refusal] of [
      [['AUTH PLAIN'], {}],
      [['STARTTLS', 'AUTH PLAIN'], { STARTTLS: '454 4.7.0 Not now' }],
    ] as const) {
      const relay = await relayOf({ offers: [...offers], answers: { ...answers, ...refusal } });
      const send = (tls: string) =>
        relay.transport({ url: url(relay.port), tls }).send(outgoing(['bob@example.org']), never);
      const outcome = await send('opportunistic');
      assert.ok(!outcome.accepted && outcome.reason === 'provider_error', JSON.stringify(outcome));
      assert.match(String(outcome.detail.response), /no encryption/);
      assert.ok(!relay.said().some((line) => line.startsWith('AUTH')));
      assert.ok((await send('off')).accepted);
      assert.ok(relay.said().includes(ways['PLAIN LOGIN'][0]!));
    }
  });
});
