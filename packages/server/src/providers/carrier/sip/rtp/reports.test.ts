// RTCP reports of a stream: their content, when they are sent, and a port that is taken.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { countPacket, reception } from './reception.ts';
import { nothing_reported, reportPacket, rtcpReports, type StreamState } from './reports.ts';

const target = { address: '127.0.0.1', port: 4000 };
const heard = (sequences: readonly number[], ssrc = 0xcafe) => {
  const counts = reception();
  for (const sequence of sequences) {
    const packet = { payload_type: 0, marker: false, sequence, timestamp: sequence * 160, ssrc };
    countPacket(counts, { ...packet, payload_start: 12, payload_end: 172 }, sequence * 20, true);
  }
  return counts;
};
const stream = (parts: Partial<StreamState>): StreamState => ({
  ...{ ssrc: 0xfffffffe, timestamp: 0xfffffffd, packets_sent: 0, packets_lost: 0 },
  ...{ reception: reception(), target },
  ...parts,
});

/** The packets that follow each other in one datagram: type, blocks and words. */
function packetsIn(datagram: Buffer): { type: number; blocks: number; body: Buffer }[] {
  const packets = [];
  for (let at = 0; at < datagram.length; ) {
    const end = at + 4 + datagram.readUInt16BE(at + 2) * 4;
    assert.equal(datagram[at]! >> 6, 2);
    packets.push({
      type: datagram[at + 1]!,
      blocks: datagram[at]! & 31,
      body: datagram.subarray(at + 4, end),
    });
    at = end;
  }
  return packets;
}

test('F5: a stream that sends and hears is reported with time, counts, loss and jitter', () => {
  const state = stream({
    packets_sent: 100,
    packets_lost: 1,
    // The sequence number wraps, and one packet of four is missing.
    reception: heard([65_534, 65_535, 1]),
  });
  const at = Date.UTC(2030, 0, 2) + 500;
  const [report, names] = packetsIn(reportPacket(state, nothing_reported, 'abcdefghijklmnop', at));
  assert.deepEqual([report!.type, report!.blocks, names!.type, names!.blocks], [200, 1, 202, 1]);
  const words = Array.from({ length: report!.body.length / 4 }, (_, at) => report!.body.readUInt32BE(at * 4));
  assert.deepEqual(words, [
    0xfffffffe,
    (Date.UTC(2030, 0, 2) - Date.UTC(1900, 0, 1)) / 1000,
    0x8000_0000,
    0xfffffffd,
    100,
    16_000,
    0xcafe,
    // A quarter of 256 in the first octet, one packet in the other three.
    0x4000_0001,
    0x1_0001,
    ...[0, 0, 0],
  ]);
  assert.equal(names!.body.readUInt32BE(0), 0xfffffffe);
  assert.equal(names!.body.subarray(4, 22).toString('latin1'), '\u0001\u0010abcdefghijklmnop');
  assert.deepEqual([...names!.body.subarray(22)], [0, 0]);
});

test('F5: a stream that sent nothing since the last report gets a report of a receiver', () => {
  const before = { packets_sent: 100, received: 0, lost: 0 };
  const [report] = packetsIn(reportPacket(stream({ packets_sent: 100 }), before, 'name', Date.now()));
  assert.deepEqual([report!.type, report!.blocks, report!.body.length], [201, 0, 4]);
});

test('F5: a name of any length ends with a zero and a full word', () => {
  for (let length = 1; length < 20; length++) {
    const [, names] = packetsIn(reportPacket(stream({}), nothing_reported, 'n'.repeat(length), 0));
    assert.equal(names!.body.at(-1), 0);
    assert.equal(names!.body[5], length);
  }
});

/** A socket for reports, and the stream that would be at the port before it. */
async function listener() {
  const socket = createSocket('udp4');
  after(() => void socket.close());
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { socket, target: { address: '127.0.0.1', port: socket.address().port - 1 } };
}

test('F5: reports go out again and again from the port after that of the stream, and stop with it', async () => {
  const { socket, target: to } = await listener();
  const own = createSocket('udp4');
  await new Promise<void>((resolve) => own.bind(0, '127.0.0.1', resolve));
  const free_port = own.address().port;
  await new Promise<void>((resolve) => own.close(() => resolve()));
  const ports: number[] = [];
  socket.on('message', (_bytes, from) => ports.push(from.port));
  const local = { address: '127.0.0.1', port: free_port - 1 };
  const reports = rtcpReports({ local, read: () => stream({ target: to }), interval_ms: 20 });
  await waitFor('three reports', () => ports.length >= 3);
  reports.stop();
  assert.deepEqual(new Set(ports), new Set([free_port]));
});

test('F5: reports go out although the port after that of the stream is taken', async () => {
  const { socket, target: to } = await listener();
  const local = { address: '127.0.0.1', port: socket.address().port - 1 };
  const reports = rtcpReports({ local, read: () => stream({ target: to }), interval_ms: 20 });
  const [, from] = await once(socket, 'message');
  assert.notEqual(from.port, socket.address().port);
  reports.stop();
});

test('F5: nothing is reported about an encrypted stream, nor to a port or an address that is none', async () => {
  let reads = 0;
  const srtp = {} as NonNullable<StreamState['target']['srtp']>;
  const targets = [
    { ...target, srtp },
    { ...target, port: 65_535 },
    { ...target, reports_port: 0 },
    { ...target, address: '0.0.0.0' },
  ];
  const local = { address: '127.0.0.1', port: 65_534 };
  const reports = rtcpReports({
    local,
    read: () => stream({ target: targets[reads++ % 4]! }),
    interval_ms: 5,
  });
  await waitFor('two turns of each', () => reads >= 8);
  const taken = createSocket('udp4');
  await new Promise<void>((resolve) => taken.bind(65_535, '127.0.0.1', resolve));
  taken.close();
  reports.stop();
});
