// Relays that accept a message in one packet with its commands: one round trip, and nothing is sent twice.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { message, relayOf } from '../../../../testing/scripted-relay.ts';
import { outgoing } from '../conformance.ts';

const never = new AbortController().signal;
const offers = ['PIPELINING', 'CHUNKING'];

test('the message is sent with its commands, byte for byte', async () => {
  const modern = await relayOf({ offers });
  const content = Buffer.from('Subject: dots\r\n\r\n.\r\n..é\r\n');
  const transport = modern.transport();
  for (let each = 0; each < 2; each++) {
    const mail = outgoing(['bob@example.org'], message(content));
    assert.ok((await transport.send(mail, never)).accepted);
    assert.deepEqual(modern.packets.at(-1), [
      'MAIL FROM:<bounce-x@sender.test>',
      'RCPT TO:<bob@example.org>',
      `BDAT ${content.length} LAST`,
    ]);
  }
  assert.deepEqual(modern.contents, [content.toString(), content.toString()]);
  assert.equal(modern.connections(), 1);
});

test('all lines end with CR LF, including the last one', async () => {
  const relay = await relayOf({ offers });
  const transport = relay.transport();
  // Before the relay has proven BDAT, such content would be sent by DATA.
  assert.ok((await transport.send(outgoing(['bob@example.org']), never)).accepted);
  const loose = Buffer.from('a\n.\r\nMAIL FROM:<eve@example.org>\nno end');
  await transport.send(outgoing(['bob@example.org'], message(loose)), never);
  assert.equal(relay.contents[1], 'a\r\n.\r\nMAIL FROM:<eve@example.org>\r\nno end\r\n');
});

describe('a relay that offers CHUNKING but has no BDAT', () => {
  for (const refusal of ['500 5.5.1 Unknown command', '502 Not implemented', '503 5.5.1 Bad sequence']) {
    test(`gets this and later messages by DATA: ${refusal} (M7)`, async () => {
      // Such a relay reads the content as commands and replies to each line.
      const unknown = (socket: Socket) =>
        void socket.write(`${refusal}\r\n500 What?\r\n500 What?\r\n500 What?\r\n`);
      const relay = await relayOf({ offers, answers: { BDAT: unknown } });
      const transport = relay.transport();
      for (let each = 0; each < 3; each++) {
        const outcome = await transport.send(outgoing(['bob@example.org']), never);
        assert.ok(outcome.accepted, JSON.stringify(outcome));
      }
      const said = relay.said().map((line) => line.slice(0, 4));
      assert.equal(said.filter((verb) => verb === 'BDAT').length, 1);
      assert.equal(said.filter((verb) => verb === 'DATA').length, 3);
      assert.equal(relay.connections(), 2);
      assert.deepEqual(transport.pool(), { open: 1, idle: 1, waiting: 0 });
    });
  }

  test('gets no lines that it would execute as commands (M7)', async () => {
    const relay = await relayOf({ offers, answers: { BDAT: '500 5.5.1 Unknown command' } });
    const smuggled = Buffer.from('Subject: x\r\n\r\nRSET\r\nMAIL FROM:<eve@example.org>\r\n');
    const outcome = await relay.transport().send(outgoing(['bob@example.org'], message(smuggled)), never);
    assert.ok(outcome.accepted);
    assert.ok(!relay.said().some((line) => line.startsWith('BDAT')));
    assert.deepEqual(relay.contents, [smuggled.toString()]);
  });

  test('that refuses a message by any other code does not get it a second time (M7)', async () => {
    const relay = await relayOf({ offers, answers: { BDAT: '554 5.6.0 Content refused' } });
    const outcome = await relay.transport().send(outgoing(['bob@example.org']), never);
    assert.ok(!outcome.accepted && outcome.detail.command === 'BDAT' && !outcome.retryable);
    assert.ok(!relay.said().includes('DATA'));
  });
});

test('a large message is not sent before its recipients are accepted', async () => {
  const relay = await relayOf({
    offers,
    answers: { RCPT: '550 5.1.1 No such user', DATA: '554 No recipients' },
  });
  const large = Buffer.from('0123456789\r\n'.repeat(10_000));
  const outcome = await relay.transport().send(outgoing(['no@example.org'], message(large)), never);
  assert.ok(!outcome.accepted && outcome.detail.command === 'RCPT TO');
  assert.deepEqual(relay.contents, []);
});

test('partial, full and temporary refusals are reported, and the connection is reused', async () => {
  const relay = await relayOf({
    offers,
    answers: {
      'RCPT TO:<no': '550 5.1.1 No such user',
      BDAT: ['250 Ok', '554 5.5.1 No recipients', '452 4.3.1 No room', '250 Ok'],
    },
  });
  const transport = relay.transport();
  const partly = await transport.send(outgoing(['bob@example.org', 'no@example.org']), never);
  assert.ok(partly.accepted);
  assert.deepEqual(
    partly.reports.map(({ kind, recipients }) => [kind, recipients]),
    [
      ['delivered', ['bob@example.org']],
      ['bounced', ['no@example.org']],
    ],
  );
  const nobody = await transport.send(outgoing(['no@example.org']), never);
  assert.deepEqual(!nobody.accepted && [nobody.detail.command, nobody.retryable], ['RCPT TO', false]);
  const full = await transport.send(outgoing(['bob@example.org']), never);
  assert.deepEqual(!full.accepted && [full.detail.command, full.retryable], ['BDAT', true]);
  assert.ok((await transport.send(outgoing(['bob@example.org']), never)).accepted);
  assert.equal(relay.connections(), 1);
  assert.equal(relay.said().filter((line) => line === 'RSET').length, 2);
});

test('a relay that says goodbye first gets the message over a new connection', async () => {
  const goodbye = (socket: Socket) => void socket.end('421 4.4.2 That was enough\r\n');
  const relay = await relayOf({
    offers,
    answers: { MAIL: ['250 Ok', goodbye, '250 Ok'] },
  });
  const transport = relay.transport();
  for (let each = 0; each < 2; each++)
    assert.ok((await transport.send(outgoing(['bob@example.org']), never)).accepted);
  assert.equal(relay.connections(), 2);
});

test('a relay that closes the connection does not get the message again, because it may have accepted it', async () => {
  const relay = await relayOf({
    offers,
    answers: { MAIL: ['250 Ok', null, '250 Ok'] },
  });
  const transport = relay.transport();
  assert.ok((await transport.send(outgoing(['bob@example.org']), never)).accepted);
  const outcome = await transport.send(outgoing(['bob@example.org']), never);
  assert.ok(!outcome.accepted && outcome.reason === 'connection_failed' && outcome.retryable);
  assert.equal(relay.connections(), 1);
});

test('an idle relay is checked first, and gets the message over a new connection if it has closed the old one', async () => {
  const relay = await relayOf({
    offers,
    answers: { MAIL: ['250 Ok', null, '250 Ok'] },
  });
  const transport = relay.transport({ alive_ms: 0 });
  for (let each = 0; each < 2; each++)
    assert.ok((await transport.send(outgoing(['bob@example.org']), never)).accepted);
  assert.equal(relay.connections(), 2);
  assert.ok(!relay.said().some((line) => line.startsWith('BDAT')));
});
