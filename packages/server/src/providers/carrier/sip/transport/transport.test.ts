// The parts of the transport without a network: Via, framing, retransmission, next hops.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readHead, readUriAddress, responseAddress, stampVia } from './message-text.ts';
import { nextHops } from './next-hop.ts';
import { retransmission } from './retransmission.ts';
import { streamFraming } from './stream-framing.ts';
import { sipTransport } from './transport.ts';

const message = (first: string, headers: string[], body = '') =>
  [first, ...headers, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
const invite = (via: string, more: string[] = []) =>
  message('INVITE sip:+1500@trunk.test:5070;transport=tcp SIP/2.0', [
    `Via: ${via}`,
    'CSeq: 1 INVITE',
    ...more,
  ]);

test('a request goes to its first Route, or to its Request-URI', () => {
  const via = 'SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1';
  assert.equal(readHead(invite(via))?.next_uri, 'sip:+1500@trunk.test:5070;transport=tcp');
  assert.equal(
    readHead(invite(via, ['Route: <sip:127.0.0.3:5080;lr>, <sip:other;lr>']))?.next_uri,
    'sip:127.0.0.3:5080;lr',
  );
  assert.deepEqual(readUriAddress('sip:+1500@trunk.test:5070;transport=tcp'), {
    host: 'trunk.test',
    port: 5070,
  });
  assert.deepEqual(readUriAddress('sip:[2001:db8::1]'), { host: '2001:db8::1', port: null });
  assert.equal(readUriAddress('tel:+1500'), null);
});

test('a response goes to the source of the request, with the requested port', () => {
  const from = { address: '127.0.0.9', port: 4444 };
  const stamped = (via: string, connected = false) => {
    const text = stampVia(invite(via), via, from, connected);
    return responseAddress(readHead(text)!.top_via);
  };
  const plain = 'SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bK1';
  assert.deepEqual(stamped(plain), { host: '127.0.0.9', port: 5060 });
  assert.deepEqual(stamped(`${plain};rport`), { host: '127.0.0.9', port: 4444 });
  assert.deepEqual(stamped(plain, true), { host: '127.0.0.9', port: 4444 });
  // A source address that the sender wrote itself is ignored.
  assert.deepEqual(stamped(`${plain};received=127.0.0.66;rport=1`), { host: '127.0.0.9', port: 5060 });
  assert.deepEqual(stamped(`SIP/2.0/UDP host.test;rport;branch=z9hG4bK1`), { host: '127.0.0.9', port: 4444 });
});

test('short header names and several Via values in one line are read', () => {
  const text =
    'SIP/2.0 180 Ringing\r\nv: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKa, SIP/2.0/UDP x;branch=z9hG4bKb\r\nCSeq: 7 INVITE\r\n\r\n';
  const head = readHead(text);
  assert.deepEqual([head?.status, head?.branch, head?.cseq_method], [180, 'z9hG4bKa', 'INVITE']);
});

test('the reader throws for no input', () => {
  const part = fc.oneof(
    fc.string(),
    fc.constantFrom('\r\n', 'Via: ', 'SIP/2.0 200 OK\r\n', 'CSeq: 1 X', ';branch='),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      readHead(parts.join(''));
    }),
  );
});

// ---- streams

test('a stream is split into messages, whatever the sizes of its chunks', () => {
  const via = 'SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK1';
  const messages = [
    invite(via),
    message('BYE sip:a SIP/2.0', [`Via: ${via}`], 'grüße\r\n\r\nv=0'),
    invite(via),
  ];
  const stream = Buffer.from(`\r\n${messages[0]}\r\n\r\n${messages[1]}${messages[2]}`);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 200 })), (sizes) => {
      const framing = streamFraming();
      const found: string[] = [];
      let at = 0;
      for (const size of [...sizes, stream.length]) {
        found.push(...framing.push(stream.subarray(at, at + size)).messages);
        at = Math.min(stream.length, at + size);
      }
      assert.deepEqual(found, messages);
    }),
  );
});

test('two empty lines are a ping, also in two chunks; one is not', () => {
  const framing = streamFraming();
  const pings = (text: string) => framing.push(Buffer.from(text)).pings;
  assert.equal(pings('\r\n\r\n'), 1);
  assert.equal(pings('\r\n'), 0);
  assert.equal(pings('\r'), 0);
  assert.equal(pings('\n'), 1);
  assert.equal(pings('\r\n'), 0);
  assert.equal(pings(invite('SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK1')), 0);
  assert.equal(pings('\r\n'), 0);
});

test('a malformed stream is reported, with the messages before it', () => {
  const isMalformed = (bytes: string) => streamFraming().push(Buffer.from(bytes)).is_malformed;
  assert.ok(isMalformed('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
  assert.ok(isMalformed('INVITE x SIP/2.0\r\nContent-Length: 999999\r\n\r\n'));
  assert.ok(isMalformed('INVITE x SIP/2.0\r\nContent-Length: -1\r\n\r\n'));
  assert.ok(isMalformed('x'.repeat(70_000)));
  const bye = message('BYE sip:a SIP/2.0', ['Via: SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK1']);
  assert.deepEqual(streamFraming().push(Buffer.from(`${bye}GET / HTTP/1.1\r\n\r\n`)), {
    messages: [bye],
    pings: 0,
    is_malformed: true,
  });
});

// ---- retransmission

const head = (first: string, cseq_method: string, branch = 'z9hG4bK1') =>
  readHead(message(first, [`Via: SIP/2.0/UDP x;branch=${branch}`, `CSeq: 1 ${cseq_method}`]))!;

test('an INVITE is repeated at doubling intervals until the first response', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let time = 0;
  const pass = (ms: number) => {
    for (let step = 0; step < ms; step += 10) {
      time += 10;
      t.mock.timers.tick(10);
    }
  };
  const repeated = retransmission({ t1_ms: 500, t2_ms: 4000 }, () => time);
  let count = 0;
  repeated.sent(head('INVITE sip:a SIP/2.0', 'INVITE'), () => count++);
  pass(500);
  assert.equal(count, 1);
  pass(1000);
  assert.equal(count, 2);
  pass(14_000);
  assert.equal(count, 5);
  repeated.received(head('SIP/2.0 100 Trying', 'INVITE'));
  pass(40_000);
  assert.equal(count, 5);
});

test('other requests are repeated at most every four seconds, and for 32 seconds', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let time = 0;
  const repeated = retransmission({ t1_ms: 500, t2_ms: 4000 }, () => time);
  let count = 0;
  repeated.sent(head('BYE sip:a SIP/2.0', 'BYE'), () => count++);
  repeated.received(head('SIP/2.0 100 Trying', 'BYE'));
  for (; time < 100_000; time += 10) t.mock.timers.tick(10);
  // 0.5, 1.5, 3.5, 7.5, then every 4 s until 31.5.
  assert.equal(count, 10);
});

test('a refusal is repeated until its ACK, and a repeated refusal gets its ACK again', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const repeated = retransmission({ t1_ms: 500, t2_ms: 4000 }, () => 0);
  let refusals = 0;
  let acks = 0;
  repeated.sent(head('SIP/2.0 486 Busy Here', 'INVITE'), () => refusals++);
  t.mock.timers.tick(500);
  repeated.received(head('ACK sip:a SIP/2.0', 'ACK'));
  t.mock.timers.tick(10_000);
  assert.equal(refusals, 1);
  repeated.sent(head('ACK sip:a SIP/2.0', 'ACK', 'z9hG4bK2'), () => acks++);
  repeated.received(head('SIP/2.0 486 Busy Here', 'INVITE', 'z9hG4bK2'));
  repeated.received(head('SIP/2.0 486 Busy Here', 'INVITE', 'z9hG4bK3'));
  assert.equal(acks, 1);
  repeated.stop();
});

// ---- sending

const hop = { address: '127.0.0.1', port: 5060, servername: '127.0.0.1' };

function startTransport(transmit: () => Promise<void>, found: Promise<(typeof hop)[]>) {
  const sent: string[] = [];
  const transport = sipTransport({
    link: () => ({
      protocol: 'UDP',
      reliable: false,
      listen: async () => 5060,
      async transmit(text) {
        sent.push(text);
        await transmit();
      },
      close: async () => {},
    }),
    hops: { all: () => found, forget() {} },
    timing: { t1_ms: 500, t2_ms: 4000 },
    onMessage() {},
  });
  return { transport, sent };
}
const outgoing = invite('SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK9');

test('a request that could not be sent is not repeated', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const unreachable = async () => {
    throw new Error('EHOSTUNREACH');
  };
  const { transport, sent } = startTransport(unreachable, Promise.resolve([hop]));
  await assert.rejects(transport.send(outgoing), /EHOSTUNREACH/);
  t.mock.timers.tick(40_000);
  assert.equal(sent.length, 1);
});

test('nothing is sent after the transport was closed, also if the address was being looked up', async () => {
  const lookup = Promise.withResolvers<(typeof hop)[]>();
  const { transport, sent } = startTransport(async () => {}, lookup.promise);
  const sending = transport.send(outgoing);
  await transport.close();
  lookup.resolve([hop]);
  await assert.rejects(sending, /closed/);
  assert.deepEqual(sent, []);
});

// ---- next hops

const resolver = (
  records: { name: string; port: number; priority: number; weight: number }[],
  looked_up: string[] = [],
) => ({
  lookup: async (host: string) => {
    looked_up.push(host);
    return host === 'gone.test' ? [] : [{ address: `127.0.0.${host.length}` }];
  },
  resolveSrv: async (name: string) => {
    looked_up.push(name);
    if (records.length === 0) throw new Error('ENODATA');
    return records;
  },
});

test('an IP address is not resolved', async () => {
  const looked_up: string[] = [];
  const hops = nextHops({ transport: 'udp', resolver: resolver([], looked_up) });
  assert.deepEqual(await hops.all({ host: '127.0.0.1', port: null }), [
    { address: '127.0.0.1', port: 5060, servername: '127.0.0.1' },
  ]);
  assert.deepEqual(looked_up, []);
});

test('without a port, SRV records are used: best first, without those that do not resolve', async () => {
  const records = [
    { name: 'bb.test', port: 5072, priority: 20, weight: 0 },
    { name: 'gone.test', port: 5071, priority: 10, weight: 0 },
  ];
  const hops = nextHops({ transport: 'tls', resolver: resolver(records) });
  assert.deepEqual(await hops.all({ host: 'trunk.test', port: null }), [
    { address: '127.0.0.7', port: 5072, servername: 'trunk.test' },
  ]);
});

test('without SRV records, or with a port, the host’s own address is used and cached for a minute', async () => {
  const looked_up: string[] = [];
  let time = 0;
  const hops = nextHops({ transport: 'tls', resolver: resolver([], looked_up), now: () => time });
  assert.equal((await hops.all({ host: 'trunk.test', port: null }))[0]?.port, 5061);
  assert.equal((await hops.all({ host: 'trunk.test', port: 5070 }))[0]?.port, 5070);
  await hops.all({ host: 'trunk.test', port: 5070 });
  assert.deepEqual(looked_up, ['_sips._tcp.trunk.test', 'trunk.test', 'trunk.test']);
  time = 61_000;
  await hops.all({ host: 'trunk.test', port: 5070 });
  assert.equal(looked_up.length, 4);
});

test('a host without an address is an error that names it', async () => {
  const hops = nextHops({ transport: 'udp', resolver: resolver([]) });
  await assert.rejects(hops.all({ host: 'gone.test', port: 5060 }), /gone\.test has no address/);
});
