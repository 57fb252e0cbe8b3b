// SMTP behind a TCP balancer: the client's address of the PROXY protocol counts for limits and SPF, from trusted networks only.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createMailbox, receivedEmails, startMailApp } from '../../../../../../testing/mail-app.ts';
import { deliver, rawMessage, smtpSession } from '../../../../../../testing/smtp-client.ts';
import { waitFor } from '../../../../../../testing/wait-for.ts';

const {
  app,
  client,
  dns,
  smtp_port: port,
} = await startMailApp({
  PARLEY_ROLES: 'api,smtp,submission',
  PARLEY_SMTP_PROXY_NETWORKS: '127.0.0.0/24,::1',
  PARLEY_INBOUND_PEER_CONNECTIONS: '2',
  PARLEY_INBOUND_PEER_MESSAGES_PER_MINUTE: '2',
});
const untrusting = await startMailApp({ PARLEY_SMTP_PROXY_NETWORKS: '192.0.2.0/24' });
const submission = await app.submission.listen();
after(() => app.submission.close());
const { default_address: to } = await createMailbox(client);
dns.records.set('sender.test', { TXT: ['v=spf1 ip4:192.0.2.7 ip6:2001:db8::7 -all'] });

const version1 = (address: string) =>
  `PROXY ${address.includes(':') ? 'TCP6' : 'TCP4'} ${address} ${address.includes(':') ? '::1' : '127.0.0.1'} 50000 25\r\n`;

function version2(family: number, command: number, addresses: Buffer, more = Buffer.alloc(0)): Buffer {
  const start = Buffer.from([...Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1'), 0x20 | command, family, 0, 0]);
  start.writeUInt16BE(addresses.length + more.length, 14);
  return Buffer.concat([start, addresses, more]);
}
const ipv4 = (...bytes: number[]) => Buffer.from([...bytes, 127, 0, 0, 1, 0xc3, 0x50, 0, 25]);
const ipv6 = Buffer.concat([
  Buffer.from('20010db8000000000000000000000007', 'hex'),
  Buffer.alloc(16),
  Buffer.from([0xc3, 0x50, 0, 25]),
]);

const send = (before: string | Buffer, at = port, recipient = to) =>
  deliver(at, {
    before,
    from: 'bob@sender.test',
    to: recipient,
    raw: rawMessage({ to: recipient, from: 'bob@sender.test', subject: 'Proxied' }),
  });
const spfOf = async (before: string | Buffer) => {
  assert.match(await send(before), /^250/);
  return (await receivedEmails(client))[0]!.spf_verdict;
};

test('F8: SPF is checked for the client of the header, in versions 1 and 2, over IPv4 and IPv6', async () => {
  assert.equal(await spfOf(version1('192.0.2.7')), 'PASS');
  assert.equal(await spfOf(version1('192.0.2.8')), 'FAIL');
  assert.equal(await spfOf(version1('2001:db8::7')), 'PASS');
  assert.equal(await spfOf(version2(0x11, 1, ipv4(192, 0, 2, 7))), 'PASS');
  // With extensions after the addresses.
  assert.equal(await spfOf(version2(0x11, 1, ipv4(192, 0, 2, 9), Buffer.from([4, 0, 1, 0]))), 'FAIL');
  assert.equal(await spfOf(version2(0x21, 1, ipv6)), 'PASS');
});

test('F8: each client has limits of its own behind one balancer', async () => {
  const open = (address: string) => smtpSession(port, { before: version1(address) });
  const sessions = await Promise.all(['192.0.2.20', '192.0.2.20', '192.0.2.21'].map(open));
  await assert.rejects(open('192.0.2.20'), /421|closed/);
  sessions.push(await open('192.0.2.21'));
  for (const session of sessions) session.destroy();
  await waitFor('places are free again', async () => {
    const session = await open('192.0.2.20').catch(() => null);
    session?.destroy();
    return session !== null;
  });
  for (const _ of [1, 2]) assert.match(await send(version1('192.0.2.30')), /^250/);
  await assert.rejects(send(version1('192.0.2.30')), /4\d\d/);
  assert.match(await send(version1('192.0.2.31')), /^250/);
});

test('F8: a header of the balancer itself, such as for a health check, keeps its own address', async () => {
  for (const before of [version2(0x00, 0, Buffer.alloc(0)), 'PROXY UNKNOWN\r\n']) {
    const session = await smtpSession(port, { before });
    session.destroy();
  }
});

test('F8: a trusted peer without a valid header is closed', async () => {
  const wrong = [
    'EHLO client.test\r\n',
    'PROXY TCP4 192.0.2.7\r\n',
    'PROXY TCP4 2001:db8::7 127.0.0.1 1 2\r\n',
    `PROXY TCP4 ${'1'.repeat(200)}`,
    version2(0x11, 1, Buffer.alloc(4)),
    version2(0x11, 5, ipv4(192, 0, 2, 7)),
  ];
  for (const before of wrong)
    await assert.rejects(smtpSession(port, { before }), /closed/, JSON.stringify(before));
});

/** Sends EHLO after the greeting, and waits until the reply names this client. */
async function greets(socket: Socket, client_address: string): Promise<void> {
  let said = '';
  socket.on('data', (chunk) => {
    if (said === '') socket.write('EHLO client.test\r\n');
    said += chunk.toString();
  });
  await waitFor(`the reply to ${client_address}`, () => (said.includes(client_address) ? true : null));
  assert.match(said, /^220 /);
}

test('F8: a header that arrives in pieces is read', async () => {
  const socket = connect(port, '127.0.0.1');
  after(() => socket.destroy());
  const header = version1('192.0.2.40');
  socket.write(header.slice(0, 9));
  await new Promise((resolve) => setImmediate(resolve));
  socket.write(header.slice(9));
  await greets(socket, '192.0.2.40');
});

test('F8: a peer that is not trusted cannot name another address', async () => {
  const { default_address } = await createMailbox(untrusting.client);
  const session = await smtpSession(untrusting.smtp_port, { helo: null });
  const answer = await session.command(version1('192.0.2.7').trim());
  assert.match(answer, /^5\d\d/);
  session.send('EHLO client.test\r\n');
  assert.match(await session.reply(), /127\.0\.0\.1/);
  session.destroy();
  assert.ok(default_address);
});

test('F8: the ports of submission read the header before STARTTLS and before TLS', async () => {
  const session = await smtpSession(submission.starttls, { before: version1('192.0.2.50'), helo: null });
  session.send('EHLO client.test\r\n');
  assert.match(await session.reply(), /192\.0\.2\.50/);
  session.destroy();
  const socket = connect(submission.tls, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(version2(0x11, 1, ipv4(192, 0, 2, 51)));
  const secured = connectTls({ socket, rejectUnauthorized: false });
  after(() => secured.destroy());
  await greets(secured, '192.0.2.51');
});
