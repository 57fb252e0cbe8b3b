// Evens out the network: packets go in as they come, one frame of 20 ms comes out a tick, 40 to 60 ms later.
import type { G711 } from '../../../media/g711.ts';
import { frame_samples } from '../../../media/media-session.ts';

/** A packet waits here for this long, less up to one frame by where the tick falls. */
const target_samples = 3 * frame_samples;
/** A packet that would have to wait longer begins the stream anew. */
const most_ahead_samples = 2048;
/** What may wait, with the frame that was heard last: gaps are filled from it. */
const ring_frames = Math.ceil(most_ahead_samples / frame_samples) + 1;
const ring_samples = ring_frames * frame_samples;
/** The least that lay ready during so many frames decides whether the delay has grown for nothing. */
const window_frames = 100;

/** RTP timestamps wrap at 32 bits; the nearer way around is the difference. */
const distance = (later: number, earlier: number): number => (later - earlier) | 0;

/** What has not come, between what has. */
type Hole = { from: number; to: number };
/** One for all: as long as nothing is missing, none of their own is looked at. */
const no_holes: readonly Hole[] = [];

export function jitterBuffer() {
  /** Decoded as it comes; a frame is heard where it lies. Nothing is allocated while a call lasts. */
  const ring = new Int16Array(ring_samples);
  const frames = Array.from({ length: ring_frames }, (_, place) =>
    ring.subarray(place * frame_samples, (place + 1) * frame_samples),
  );
  /** The frame that is heard next. */
  let place = 0;
  /** Of what lies before the newest; mostly there is none. */
  let holes = no_holes;
  let read_at = 0;
  let newest_end = 0;
  let started = false;
  let missing_in_a_row = 0;
  /** Frames of the wait before the first packet is heard: they are no loss. */
  let lead_in_frames = 0;
  let least_ready = most_ahead_samples;
  let frames_in_window = 0;
  const stats = { late_packets: 0, concealed_samples: 0, resets: 0 };

  function nextPlace(): void {
    read_at = (read_at + frame_samples) | 0;
    if (++place === ring_frames) place = 0;
  }

  /** The packet of this timestamp is heard so much later. */
  function wait(timestamp: number, samples: number): void {
    read_at = (timestamp - samples) | 0;
    newest_end = timestamp;
    holes = [{ from: read_at, to: newest_end }];
  }

  function startAt(timestamp: number): void {
    wait(timestamp, target_samples);
    lead_in_frames = target_samples / frame_samples;
    started = true;
    least_ready = most_ahead_samples;
    frames_in_window = 0;
  }

  function closeHoles(from: number, to: number): void {
    holes = holes.flatMap((hole) => {
      if (distance(from, hole.to) >= 0 || distance(hole.from, to) >= 0) return [hole];
      const left = distance(from, hole.from) > 0 ? [{ from: hole.from, to: from }] : [];
      const right = distance(hole.to, to) > 0 ? [{ from: to, to: hole.to }] : [];
      return [...left, ...right];
    });
    if (holes.length === 0) holes = no_holes;
  }

  /** Fills what has not come in time by a fading repeat, then silence; returns how many samples that were. */
  function conceal(frame: Int16Array, ready: number): number {
    const gain = missing_in_a_row < 2 ? 0.5 : 0;
    const last_frame = frames[place === 0 ? ring_frames - 1 : place - 1]!;
    let missing = 0;
    const patch = (from: number, to: number) => {
      const end = Math.min(to, frame_samples);
      for (let index = Math.max(0, from); index < end; index++) {
        frame[index] = last_frame[index]! * gain;
        missing++;
      }
    };
    for (const { from, to } of holes) patch(distance(from, read_at), distance(to, read_at));
    holes = holes.filter(({ to }) => distance(to, read_at) > frame_samples);
    if (holes.length === 0) holes = no_holes;
    patch(ready, frame_samples);
    return missing;
  }

  /** The other side's clock is faster, or jitter made us wait long and has gone: skip a frame. */
  function shrinkWhenIdle(ready: number): void {
    if (ready < least_ready) least_ready = ready;
    if (++frames_in_window < window_frames) return;
    if (least_ready > target_samples + frame_samples) nextPlace();
    least_ready = most_ahead_samples;
    frames_in_window = 0;
  }

  return {
    stats,

    /** Forgets the stream; the next packet begins a new one. */
    restart(): void {
      if (started) stats.resets++;
      started = false;
    },

    /** The payload stands from `start` to `end` in the bytes. */
    push(timestamp: number, codec: G711, bytes: Uint8Array, start: number, end: number): void {
      const length = end - start;
      if (length <= 0 || length > most_ahead_samples / 4) return;
      if (!started) startAt(timestamp);
      let ahead = distance(timestamp, read_at);
      if (ahead > most_ahead_samples - length || ahead < -most_ahead_samples) {
        stats.resets++;
        startAt(timestamp);
        ahead = target_samples;
      } else if (ahead < 0) {
        stats.late_packets++;
        if (distance(timestamp, newest_end) < 0) return;
        // The newest there is came too late, so everything does: wait for it, and longer from here on.
        wait(timestamp, frame_samples);
        ahead = frame_samples;
      }
      const at = (place * frame_samples + ahead) % ring_samples;
      const before_end = Math.min(length, ring_samples - at);
      codec.decodeInto(ring, at, bytes, start, before_end);
      if (before_end < length) codec.decodeInto(ring, 0, bytes, start + before_end, length - before_end);
      const next = (timestamp + length) | 0;
      const skipped = distance(timestamp, newest_end);
      if (skipped > 0) holes = [...holes, { from: newest_end, to: timestamp }];
      else if (skipped < 0) closeHoles(timestamp, next);
      if (distance(next, newest_end) > 0) newest_end = next;
    },

    /** Always a frame. It is lent: what comes in later is written over it. */
    pull(): Int16Array {
      const frame = frames[place]!;
      if (!started) return frame.fill(0);
      const ready = distance(newest_end, read_at);
      const missing = holes !== no_holes || ready < frame_samples ? conceal(frame, ready) : 0;
      // A gap inside the stream is loss; beyond its newest packet it may as well be a pause of the sender.
      if (lead_in_frames > 0) lead_in_frames--;
      else if (ready > 0) stats.concealed_samples += missing;
      missing_in_a_row = missing === frame_samples ? missing_in_a_row + 1 : 0;
      nextPlace();
      // A sender that pauses must not find itself ages late when it goes on.
      if (ready < -most_ahead_samples / 2) started = false;
      shrinkWhenIdle(ready);
      return frame;
    },

    /** How much lies ready to be heard. */
    depth_ms: (): number => (started ? Math.max(0, distance(newest_end, read_at)) / 8 : 0),
  };
}
export type JitterBuffer = ReturnType<typeof jitterBuffer>;
