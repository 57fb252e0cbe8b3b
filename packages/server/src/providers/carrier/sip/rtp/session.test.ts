// A session reuses packet buffers only when its socket does not need them any more.
import assert from 'node:assert/strict';
import type { Socket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { emptyPacket, readPacket, startPacket } from './packet.ts';
import { rtpSession, rtpWheel } from './session.ts';

/** A socket that sends nothing: it stores packets and reports how many are queued. */
function fullSocket(waiting: number) {
  const sent: Buffer[] = [];
  const socket = Object.assign(new EventEmitter(), {
    send: (packet: Buffer) => sent.push(packet),
    connect() {},
    close() {},
    getSendQueueCount: () => waiting,
  });
  return { socket: socket as unknown as Socket, sent };
}

const target = {
  address: '127.0.0.1',
  port: 4000,
  codec: 'PCMU',
  payload_type: 0,
  digits_payload_type: 101,
  held: false,
} as const;

async function sequencesKept(waiting: number, is_latched: boolean): Promise<number[]> {
  const wheel = rtpWheel();
  const { socket, sent } = fullSocket(waiting);
  const session = rtpSession({ wheel, socket, target, inactivity_timeout_ms: 60_000 });
  if (is_latched) {
    const head = { payload_type: 0, marker: false, sequence: 1, timestamp: 0, ssrc: 1 };
    socket.emit('message', startPacket(head, emptyPacket(160)), { address: '127.0.0.1', port: 4000 });
  }
  await waitFor('three packets', () => sent.length >= 3);
  session.close();
  wheel.stop();
  const first = readPacket(sent[0]!)!.sequence;
  return sent.slice(0, 3).map((packet) => (readPacket(packet)!.sequence - first) & 0xffff);
}

test('a packet that is still queued in its socket is not overwritten by the next one', async () => {
  assert.deepEqual(await sequencesKept(1, true), [0, 1, 2]);
});

test('a packet whose address may still be resolved is not overwritten', async () => {
  assert.deepEqual(await sequencesKept(0, false), [0, 1, 2]);
});

test('a sent packet’s buffer is reused for the next one', async () => {
  assert.deepEqual(await sequencesKept(0, true), [0, 0, 0]);
});
