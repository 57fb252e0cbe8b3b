// The SMTP transport against real SMTP servers on loopback.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { outgoing, transportConformance } from '../conformance.ts';
import { smtpTransport } from './index.ts';

type Received = { from: string; to: string[]; raw: string; envid: string | undefined };
const received: Received[] = [];
let connections = 0;

const refuse = (code: number, words: string) => Object.assign(new Error(words), { responseCode: code });
const relay = new SMTPServer({
  closeTimeout: 100,
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onConnect(_, done) {
    connections++;
    done();
  },
  onAuth: ({ username, password }, _, done) =>
    username === 'agent' && password === 'p@ss' ? done(null, { user: username }) : done(new Error('no')),
  onRcptTo({ address }, _, done) {
    if (address.startsWith('unknown')) return done(refuse(550, '5.1.1 No such user'));
    if (address.startsWith('full')) return done(refuse(452, '4.2.2 Mailbox full'));
    if (address.startsWith('policy')) return done(refuse(550, '5.7.1 Blocked by policy'));
    done();
  },
  async onData(stream, session, done) {
    const raw = (await buffer(stream)).toString();
    if (raw.includes('X-Refuse')) return done(refuse(554, '5.6.0 Content refused'));
    const { mailFrom, rcptTo } = session.envelope;
    received.push({
      from: mailFrom ? mailFrom.address : '',
      to: rcptTo.map(({ address }) => address),
      raw,
      envid: (mailFrom && (mailFrom.args as { ENVID?: string }).ENVID) || undefined,
    });
    done();
  },
});
await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
const { port } = relay.server.address() as AddressInfo;
const silent_sockets = new Set<Socket>();
const silent = createServer((socket) => silent_sockets.add(socket)).listen(0, '127.0.0.1');
await once(silent, 'listening');
const closed = createServer().listen(0, '127.0.0.1');
await once(closed, 'listening');
const closed_port = (closed.address() as AddressInfo).port;
closed.close();

const to = (at: number, change: object = {}) =>
  smtpTransport({
    url: `smtp://127.0.0.1:${at}`,
    max_connections: 4,
    tls: 'opportunistic',
    hostname: 'sender.test',
    timeout_ms: 5000,
    ...change,
  });
const transport = to(port);
after(async () => {
  await transport.close();
  for (const socket of silent_sockets) socket.destroy();
  silent.close();
  await new Promise<void>((resolve) => relay.close(() => resolve()));
});
const never = new AbortController().signal;
const find = (email_id: string) => received.filter(({ raw }) => raw.includes(email_id));

transportConformance('smtp', () => ({
  transport,
  recipients: { taken: 'bob@example.org', refused: 'unknown@example.org' },
  received: async (email_id) => find(email_id).map(({ raw }) => raw),
  unreachable: to(closed_port),
  silent: to((silent.address() as AddressInfo).port),
}));

describe('a relay', () => {
  test('gets the envelope, whatever headers the message has', async () => {
    const mail = outgoing(['bob@example.org', 'blind@example.org']);
    await transport.send(mail, never);
    const [got] = find(mail.email_id);
    assert.deepEqual(
      [got!.from, got!.to],
      ['bounce-x@sender.test', ['bob@example.org', 'blind@example.org']],
    );
  });

  test('that accepts only some recipients makes the rest bounce, each with its own reply', async () => {
    const outcome = await transport.send(
      outgoing(['bob@example.org', 'unknown@example.org', 'full@example.org', 'policy@example.org']),
      never,
    );
    assert.ok(outcome.accepted);
    const bounces = outcome.reports.filter((report) => report.kind === 'bounced');
    assert.deepEqual(
      bounces.map(({ recipients, hard, detail }) => [recipients[0], hard, detail.bounce_sub_type]),
      [
        ['unknown@example.org', true, 'NoEmail'],
        ['full@example.org', false, 'MailboxFull'],
        ['policy@example.org', false, 'ContentRejected'],
      ],
    );
    assert.deepEqual(outcome.reports[0]!.recipients, ['bob@example.org']);
  });

  test('that refuses temporarily can be retried', async () => {
    const outcome = await transport.send(outgoing(['full@example.org']), never);
    assert.ok(!outcome.accepted && outcome.reason === 'smtp_rejected' && outcome.retryable);
  });

  test('that refuses the content keeps its connection usable', async () => {
    const raw = Buffer.from('X-Refuse: 1\r\n\r\nx\r\n');
    const before = connections;
    const outcome = await transport.send(
      outgoing(['bob@example.org'], {
        message: { size_bytes: raw.length, content: () => raw, dispose: async () => {} },
      }),
      never,
    );
    assert.ok(!outcome.accepted && outcome.reason === 'smtp_rejected');
    assert.match(String(outcome.detail.response), /5\.6\.0/);
    const next = await transport.send(outgoing(['bob@example.org']), never);
    assert.ok(next.accepted);
    assert.equal(connections, before);
  });

  test('is used over pooled connections, never more than allowed', async () => {
    const own = to(port, { max_connections: 2 });
    const before = connections;
    const mails = Array.from({ length: 30 }, () => outgoing(['bob@example.org']));
    await Promise.all(mails.map((mail) => own.send(mail, never)));
    assert.ok(connections - before <= 2, `${connections - before} connections`);
    await own.close();
  });

  test('that closed a pooled connection gets the message once, over a new one', async () => {
    const own = to(port, { max_connections: 1 });
    await own.send(outgoing(['bob@example.org']), never);
    for (const connection of (relay as unknown as { connections: Set<{ _socket: Socket }> }).connections)
      connection._socket.destroy();
    const mail = outgoing(['bob@example.org']);
    const outcome = await own.send(mail, never);
    assert.ok(outcome.accepted, JSON.stringify(outcome));
    assert.equal(find(mail.email_id).length, 1);
    await own.close();
  });

  test('that requires a password gets it; a wrong one is our error, not the recipient’s', async () => {
    const right = smtpTransport({
      url: `smtp://agent:p%40ss@127.0.0.1:${port}`,
      max_connections: 1,
      tls: 'off',
      hostname: 'sender.test',
      timeout_ms: 5000,
    });
    assert.ok((await right.send(outgoing(['bob@example.org']), never)).accepted);
    await right.close();
    const wrong = to(port, { url: `smtp://agent:${randomBytes(4).toString('hex')}@127.0.0.1:${port}` });
    const outcome = await wrong.send(outgoing(['bob@example.org']), never);
    assert.ok(!outcome.accepted && outcome.reason === 'provider_error');
    await wrong.close();
  });

  test('without TLS is refused if TLS is required', async () => {
    const strict = to(port, { tls: 'required' });
    const outcome = await strict.send(outgoing(['bob@example.org']), never);
    assert.equal(outcome.accepted, false);
    await strict.close();
  });
});
