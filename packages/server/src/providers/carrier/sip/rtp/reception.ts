// Counts what arrived, what is missing and how uneven it came (RFC 3550 appendix A).
import type { RtpPacket } from './packet.ts';

export function receptionCount() {
  let ssrc: number | null = null;
  let received = 0;
  let expected_before = 0;
  let first = 0;
  let highest = 0;
  let transit: number | null = null;
  /** In sixteenths of a sample: whole numbers need no memory of their own (RFC 3550 appendix A.8). */
  let jitter = 0;

  const expected = () => (ssrc === null ? 0 : expected_before + highest - first + 1);

  return {
    /** Packets of one key share a timestamp, which says nothing about their pace: `paced` is false for them. */
    count(packet: RtpPacket, now_ms: number, paced: boolean): 'same_source' | 'new_source' {
      received++;
      if (packet.ssrc !== ssrc) {
        const had_one = ssrc !== null;
        expected_before = expected();
        ssrc = packet.ssrc;
        first = highest = packet.sequence;
        transit = null;
        return had_one ? 'new_source' : 'same_source';
      }
      // Sequence numbers wrap at 16 bits: the nearer way around counts.
      const step = ((packet.sequence - highest) << 16) >> 16;
      if (step > 0) highest += step;
      if (!paced) return 'same_source';
      const passed = (now_ms * 8 - packet.timestamp) | 0;
      if (transit !== null) jitter += Math.abs((passed - transit) | 0) - ((jitter + 8) >> 4);
      transit = passed;
      return 'same_source';
    },
    stats: () => ({
      packets_received: received,
      packets_lost: Math.max(0, expected() - received),
      jitter_ms: jitter / 16 / 8,
    }),
  };
}
