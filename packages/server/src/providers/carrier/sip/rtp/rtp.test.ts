// The parts of an RTP session without a network: codec, packets, jitter buffer, wheel.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { type Codec, type G711, g711 } from '../../../../protocols/audio/g711.ts';
import { depth_ms, jitterBuffer, pull, push } from './jitter-buffer.ts';
import { digitPacket, emptyPacket, readDigitEvent, readPacket, startPacket } from './packet.ts';
import { countPacket, reception, receptionStats } from './reception.ts';
import { wheel } from './wheel.ts';

test('G.711 matches the values of the standard', () => {
  const mu_law = g711('PCMU').decode_table;
  assert.deepEqual([mu_law[0x00], mu_law[0x80], mu_law[0xff], mu_law[0x7f]], [-32_124, 32_124, 0, 0]);
  const a_law = g711('PCMA').decode_table;
  assert.deepEqual([a_law[0xd5], a_law[0x55], a_law[0xaa], a_law[0x2a]], [8, -8, 32_256, -32_256]);
  assert.deepEqual([g711('PCMU').silence, g711('PCMA').silence], [0xff, 0xd5]);
});

for (const codec of ['PCMU', 'PCMA'] as Codec[]) {
  test(`${codec}: every code survives a round trip, and a sample changes by at most one step`, () => {
    const { decode_table, encodeInto } = g711(codec);
    const encode = (sample: number) => {
      const target = new Uint8Array(1);
      encodeInto(target, 0, Int16Array.of(sample), 0, 1);
      return target[0]!;
    };
    for (let code = 0; code < 256; code++) {
      assert.equal(decode_table[encode(decode_table[code]!)], decode_table[code]);
    }
    for (let sample = -32_768; sample < 32_768; sample += 7) {
      const error = Math.abs(decode_table[encode(sample)]! - sample);
      assert.ok(error <= Math.max(8, Math.abs(sample) / 16), `${sample} is off by ${error}`);
    }
  });
}

const payloadOf = (packet: Buffer) => {
  const { payload_start, payload_end } = readPacket(packet)!;
  return packet.subarray(payload_start, payload_end);
};

test('a packet is read as it was written', () => {
  const head = { payload_type: 8, marker: true, sequence: 65_535, timestamp: -2, ssrc: 0x7fff_ffff };
  const packet = startPacket(head, emptyPacket(160)).fill(3, 12);
  assert.deepEqual(readPacket(packet), { ...head, payload_start: 12, payload_end: 172 });
});

test('extensions, sources and padding are skipped', () => {
  const packet = Buffer.concat([
    Buffer.from([0xb1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]),
    Buffer.from([9, 9, 9, 9]),
    Buffer.from([0, 0, 0, 1, 8, 8, 8, 8]),
    Buffer.from([1, 2, 3]),
    Buffer.from([0, 2]),
  ]);
  assert.deepEqual(payloadOf(packet), Buffer.from([1, 2, 3]));
});

test('the reader throws for no input', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const packet = Buffer.from(bytes);
      if (readPacket(packet)) readDigitEvent(payloadOf(packet));
    }),
  );
  assert.equal(readPacket(Buffer.from('OPTIONS sip:x SIP/2.0')), null);
});

test('a digit event is read as it was written', () => {
  const head = { payload_type: 101, marker: true, sequence: 1, timestamp: 2, ssrc: 3 };
  for (const digit of '0123456789*#ABCD') {
    const event = { digit, end: true, duration: 800 };
    assert.deepEqual(readDigitEvent(payloadOf(digitPacket(head, event))), event);
  }
  assert.equal(readDigitEvent(Buffer.from([16, 0, 0, 0])), null);
});

// ---- jitter buffer

const codecOf = (sampleOf: (byte: number) => number): G711 => ({
  ...g711('PCMU'),
  decodeInto(target, start, bytes, from, count) {
    for (let index = 0; index < count; index++) target[start + index] = sampleOf(bytes[from + index]!);
  },
});
const tenfold = codecOf((byte) => byte * 10);
const simpleBuffer = () => {
  const buffer = jitterBuffer();
  return {
    stats: buffer,
    push: (timestamp: number, payload: Uint8Array) =>
      push(buffer, timestamp, tenfold, payload, 0, payload.length),
    // The frame's memory is reused.
    pull: () => pull(buffer).slice(),
    depth_ms: () => depth_ms(buffer),
  };
};
const say = (byte: number, samples = 160) => new Uint8Array(samples).fill(byte);
const played = (frame: Int16Array) => (frame.every((sample) => sample === frame[0]) ? frame[0]! / 10 : frame);

test('the first packet is played after 60 ms, and then one frame per tick', () => {
  const buffer = simpleBuffer();
  const frames: unknown[] = [];
  for (let tick = 0; tick < 6; tick++) {
    buffer.push(1000 + tick * 160, say(tick + 1));
    frames.push(played(buffer.pull()));
  }
  assert.deepEqual(frames, [0, 0, 0, 1, 2, 3]);
});

test('buffers do not share audio', () => {
  const buffers = Array.from({ length: 20 }, simpleBuffer);
  // Longer than a ring, so that each is written to its end.
  for (let tick = 0; tick < 20; tick++) {
    for (const [index, buffer] of buffers.entries()) buffer.push(tick * 160, say(index + 1));
    const frames = buffers.map((buffer) => played(buffer.pull()));
    assert.deepEqual(
      frames,
      buffers.map((_, index) => (tick < 3 ? 0 : index + 1)),
    );
  }
});

test('packets are played in order, also when they arrive out of order, in any length and across the timestamp wrap', () => {
  const buffer = simpleBuffer();
  const start = 0xffff_ffff - 100;
  buffer.push(start | 0, say(1));
  buffer.push((start + 400) | 0, say(4, 80));
  buffer.push((start + 160) | 0, say(2, 240));
  const frames = Array.from({ length: 6 }, () => buffer.pull());
  assert.deepEqual(frames.slice(3, 5).map(played), [1, 2]);
  assert.deepEqual([frames[5]![0], frames[5]![79], frames[5]![80], frames[5]![159]], [20, 20, 40, 40]);
  assert.equal(buffer.stats.concealed_samples, 0);
});

test('a lost packet is concealed by a fading repeat and counted', () => {
  const buffer = simpleBuffer();
  for (const [place, byte] of [1, 2, null, 4, 5].entries()) if (byte) buffer.push(place * 160, say(byte));
  const frames = Array.from({ length: 8 }, () => played(buffer.pull()));
  assert.deepEqual(frames.slice(3), [1, 2, 1, 4, 5]);
  assert.equal(buffer.stats.concealed_samples, 160);
});

test('a stream that is late as a whole is delayed, not dropped', () => {
  const buffer = simpleBuffer();
  buffer.push(0, say(1));
  for (let tick = 0; tick < 8; tick++) buffer.pull();
  const frames: unknown[] = [];
  for (let tick = 0; tick < 5; tick++) {
    buffer.push(160 + tick * 160, say(2 + tick));
    frames.push(played(buffer.pull()));
  }
  assert.deepEqual(frames.slice(1), [2, 3, 4, 5]);
});

test('a delay that is too long is reduced', () => {
  const buffer = simpleBuffer();
  for (let place = 0; place < 9; place++) buffer.push(place * 160, say(1));
  const depth_ms = buffer.depth_ms();
  for (let tick = 9; tick < 2500; tick++) {
    buffer.pull();
    buffer.push(tick * 160, say(1));
  }
  assert.ok(depth_ms > 200, `${depth_ms}`);
  assert.ok(buffer.depth_ms() <= 120, `${buffer.depth_ms()} ms are buffered`);
});

test('silence is played while no packets arrive', () => {
  const buffer = simpleBuffer();
  assert.equal(played(buffer.pull()), 0);
  buffer.push(0, say(5));
  for (let tick = 0; tick < 1000; tick++) assert.equal(buffer.pull().length, 160);
  assert.equal(played(buffer.pull()), 0);
  buffer.push(999_999, say(6));
  assert.deepEqual(Array.from({ length: 4 }, () => played(buffer.pull())).at(-1), 6);
});

test('whatever is late, repeated or lost, no sample is played more often than it arrived', () => {
  const unit = 80;
  // The value of a sample is its position; concealed samples are quieter than all others.
  const by_place = codecOf((place) => 20_000 + place);
  const step = fc.record({ place: fc.nat(80), units: fc.integer({ min: 1, max: 3 }), pulls: fc.nat(3) });
  const origins = fc.constantFrom(0, 0x7fff_ffff - 40 * unit);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), origins, (steps, origin) => {
      const buffer = jitterBuffer();
      const times_left = new Map<number, number>();
      for (const { place, units, pulls } of steps) {
        const payload = Uint8Array.from({ length: units * unit }, (_, i) => place + Math.floor(i / unit));
        push(buffer, (origin + place * unit) | 0, by_place, payload, 0, payload.length);
        for (let i = 0; i < units; i++) times_left.set(place + i, (times_left.get(place + i) ?? 0) + 1);
        for (let times = 0; times < pulls; times++) {
          const frame = pull(buffer);
          for (let at = 0; at < frame.length; at += unit) {
            assert.ok(frame.subarray(at, at + unit).every((sample) => sample === frame[at]));
            if (frame[at]! < 20_000) continue;
            const left = (times_left.get(frame[at]! - 20_000) ?? 0) - 1;
            assert.ok(left >= 0, `position ${frame[at]! - 20_000} is played too often`);
            times_left.set(frame[at]! - 20_000, left);
          }
        }
      }
    }),
  );
});

test('no timestamps make the buffer throw or grow', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer(), fc.nat(2000))), (packets) => {
      const buffer = simpleBuffer();
      for (const [timestamp, length] of packets) {
        buffer.push(timestamp, new Uint8Array(length));
        assert.equal(buffer.pull().length, 160);
        assert.ok(buffer.depth_ms() <= 256);
      }
    }),
  );
});

test('lost packets are counted across the wrap of sequence numbers', () => {
  const counts = reception();
  const packet = (sequence: number, ssrc = 1) => ({
    ...{ payload_type: 0, marker: false, payload_start: 12, payload_end: 12, ssrc },
    sequence,
    timestamp: sequence * 160,
  });
  for (const sequence of [65_533, 65_534, 0, 2, 1]) countPacket(counts, packet(sequence), 0, true);
  assert.deepEqual([receptionStats(counts).packets_received, receptionStats(counts).packets_lost], [5, 1]);
  assert.equal(countPacket(counts, packet(500, 2), 0, true), 'new_source');
  assert.deepEqual([receptionStats(counts).packets_received, receptionStats(counts).packets_lost], [6, 1]);
});

test('jitter of a stream that is alternately early and late matches RFC 3550', () => {
  const counts = reception();
  let expected = 0;
  for (let sequence = 0; sequence < 500; sequence++) {
    const packet = {
      ...{ payload_type: 0, marker: false, payload_start: 12, payload_end: 12, ssrc: 1 },
      ...{ sequence, timestamp: sequence * 160 },
    };
    // Every other packet is 4 ms late: the transit time differs by 32 samples from packet to packet.
    countPacket(counts, packet, sequence * 20 + (sequence % 2) * 4, true);
    if (sequence > 0) expected += (32 - expected) / 16;
  }
  const { jitter_ms } = receptionStats(counts);
  assert.ok(Math.abs(jitter_ms - expected / 8) < 0.1, `${jitter_ms} instead of ${expected / 8}`);
});

// ---- wheel

test('the wheel ticks every member once per 20 ms, even when the process is late', async () => {
  let time = 1000;
  const counts = [0, 0, 0];
  const turns = wheel<number>({ tick: (index) => counts[index]!++, now: () => time });
  const leave = counts.map((_, index) => turns.add(index));
  for (let step = 1; step <= 10; step++) {
    time += step % 2 === 0 ? 3 : 97;
    const least = Math.floor((time - 1000) / 20) - 1;
    await waitFor(`${least} ticks of every member`, () => Math.min(...counts) >= least);
  }
  assert.deepEqual(
    counts.map((count) => count === 25),
    [true, true, true],
    counts.join(' '),
  );
  for (const step of leave) step();
  assert.equal(turns.sessions(), 0);
  turns.stop();
});

test('after a long pause the missed ticks are not sent in one burst', async () => {
  let time = 0;
  let count = 0;
  const turns = wheel({ tick: () => count++, now: () => time });
  turns.add('a call');
  time = 10_000;
  await waitFor('a tick', () => count > 0, { interval_ms: 1 });
  assert.equal(count, 1);
  turns.stop();
});
