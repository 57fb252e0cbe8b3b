// Statistics of received packets: count, loss and jitter (RFC 3550 appendix A).
import type { RtpPacket } from './packet.ts';

export type Reception = {
  ssrc: number | null;
  received: number;
  expected_before: number;
  first: number;
  highest: number;
  transit: number | null;
  /** In sixteenths of a sample (RFC 3550 appendix A.8): V8 stores integers without allocation. */
  jitter: number;
};

export const reception = (): Reception => ({
  ssrc: null,
  received: 0,
  expected_before: 0,
  first: 0,
  highest: 0,
  transit: null,
  jitter: 0,
});

const expected = ({ ssrc, expected_before, highest, first }: Reception) =>
  ssrc === null ? 0 : expected_before + highest - first + 1;

/** `paced` is false for the packets of a digit: they share a timestamp, so it says nothing about jitter. */
export function countPacket(
  counts: Reception,
  packet: RtpPacket,
  now_ms: number,
  paced: boolean,
): 'same_source' | 'new_source' {
  counts.received++;
  if (packet.ssrc !== counts.ssrc) {
    const had_source = counts.ssrc !== null;
    counts.expected_before = expected(counts);
    counts.ssrc = packet.ssrc;
    counts.first = counts.highest = packet.sequence;
    counts.transit = null;
    return had_source ? 'new_source' : 'same_source';
  }
  // Sequence numbers wrap at 16 bits.
  const step = ((packet.sequence - counts.highest) << 16) >> 16;
  if (step > 0) counts.highest += step;
  if (!paced) return 'same_source';
  const passed = (now_ms * 8 - packet.timestamp) | 0;
  if (counts.transit !== null) {
    counts.jitter += Math.abs((passed - counts.transit) | 0) - ((counts.jitter + 8) >> 4);
  }
  counts.transit = passed;
  return 'same_source';
}

export const receptionStats = (counts: Reception) => ({
  packets_received: counts.received,
  packets_lost: Math.max(0, expected(counts) - counts.received),
  jitter_ms: counts.jitter / 16 / 8,
});
