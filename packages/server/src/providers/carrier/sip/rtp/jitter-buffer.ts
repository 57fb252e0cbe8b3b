// Evens out the network: packets go in as they come, one frame of 20 ms comes out a tick, 40 to 60 ms later.
import { frame_samples } from '../../../media/media-session.ts';

/** A packet waits here for this long, less up to one frame by where the tick falls. */
const target_samples = 3 * frame_samples;
/** What no G.711 code decodes to: the place of a sample that has not come. */
const absent = -32_768;
const ring_samples = 2048;
/** The least that lay ready during so many frames decides whether the delay has grown for nothing. */
const window_frames = 100;

const slab_frames = 16;

/** RTP timestamps wrap at 32 bits; the nearer way around is the difference. */
const distance = (later: number, earlier: number): number => (later - earlier) | 0;

export function jitterBuffer() {
  const ring = new Int16Array(ring_samples).fill(absent);
  let slab = new Int16Array(0);
  let slab_at = 0;
  let last_frame: Int16Array = new Int16Array(frame_samples);
  let read_at = 0;
  let newest_end = 0;
  let started = false;
  let missing_in_a_row = 0;
  /** Frames of the wait before the first packet is heard: they are no loss. */
  let lead_in_frames = 0;
  let least_ready = Number.POSITIVE_INFINITY;
  let frames_in_window = 0;
  const stats = { late_packets: 0, concealed_samples: 0, resets: 0 };

  function startAt(timestamp: number): void {
    ring.fill(absent);
    read_at = (timestamp - target_samples) | 0;
    newest_end = timestamp;
    lead_in_frames = target_samples / frame_samples;
    started = true;
    least_ready = Number.POSITIVE_INFINITY;
    frames_in_window = 0;
  }

  /** Frames are cut from one larger array: a buffer of its own for each would cost more than all the rest here. */
  function nextFrame(): Int16Array {
    if (slab_at === slab.length) {
      slab = new Int16Array(slab_frames * frame_samples);
      slab_at = 0;
    }
    slab_at += frame_samples;
    return slab.subarray(slab_at - frame_samples, slab_at);
  }

  return {
    stats,

    /** Forgets the stream; the next packet begins a new one. */
    restart(): void {
      if (started) stats.resets++;
      started = false;
    },

    /** The payload stands from `start` to `end` in the bytes. */
    push(timestamp: number, bytes: Uint8Array, start: number, end: number, decode_table: Int16Array): void {
      const length = end - start;
      if (length <= 0 || length > ring_samples / 4) return;
      if (!started) startAt(timestamp);
      const ahead = distance(timestamp, read_at);
      if (ahead > ring_samples - length || ahead < -ring_samples) {
        stats.resets++;
        startAt(timestamp);
      } else if (ahead < 0) {
        stats.late_packets++;
        if (distance(timestamp, newest_end) < 0) return;
        // The newest there is came too late, so everything does: wait for it, and longer from here on.
        read_at = (timestamp - frame_samples) | 0;
      }
      for (let index = 0; index < length; index++) {
        ring[(timestamp + index) & (ring_samples - 1)] = decode_table[bytes[start + index]!]!;
      }
      const next = (timestamp + length) | 0;
      if (distance(next, newest_end) > 0) newest_end = next;
    },

    /** Always a frame: what is missing is filled by a fading repeat, then silence. */
    pull(): Int16Array {
      const frame = nextFrame();
      if (!started) return frame;
      const gain = missing_in_a_row < 2 ? 0.5 : 0;
      let missing = 0;
      for (let index = 0; index < frame_samples; index++) {
        const place = (read_at + index) & (ring_samples - 1);
        const sample = ring[place]!;
        if (sample === absent) {
          missing++;
          frame[index] = last_frame[index]! * gain;
        } else {
          frame[index] = sample;
          ring[place] = absent;
        }
      }
      const ready = distance(newest_end, read_at);
      // A gap inside the stream is loss; beyond its newest packet it may as well be a pause of the sender.
      if (lead_in_frames > 0) lead_in_frames--;
      else if (ready > 0) stats.concealed_samples += missing;
      missing_in_a_row = missing === frame_samples ? missing_in_a_row + 1 : 0;
      last_frame = frame;
      read_at = (read_at + frame_samples) | 0;
      // A sender that pauses must not find itself ages late when it goes on.
      if (ready < -ring_samples / 2) started = false;
      shrinkWhenIdle(ready);
      return frame;
    },

    /** How much lies ready to be heard. */
    depth_ms: (): number => (started ? Math.max(0, distance(newest_end, read_at)) / 8 : 0),
  };

  /** The other side's clock is faster, or jitter made us wait long and has gone: skip a frame. */
  function shrinkWhenIdle(ready: number): void {
    least_ready = Math.min(least_ready, ready);
    if (++frames_in_window < window_frames) return;
    if (least_ready > target_samples + frame_samples) {
      for (let index = 0; index < frame_samples; index++) {
        ring[(read_at + index) & (ring_samples - 1)] = absent;
      }
      read_at = (read_at + frame_samples) | 0;
    }
    least_ready = Number.POSITIVE_INFINITY;
    frames_in_window = 0;
  }
}
export type JitterBuffer = ReturnType<typeof jitterBuffer>;
