// The jitter buffer: packets go in as they arrive, one frame of 20 ms comes out per tick, 40 to 60 ms later.
import type { G711 } from '../../../../protocols/audio/g711.ts';
import { frame_samples } from '../../../media/media-session.ts';

/** How long a packet is buffered; up to one frame less, depending on when the tick comes. */
const target_samples = 3 * frame_samples;
/** A packet that is further ahead than this restarts the stream. */
const max_ahead_samples = 2048;
/** Space for buffered audio and for the last played frame, which is used to conceal gaps. */
const ring_frames = Math.ceil(max_ahead_samples / frame_samples) + 1;
const ring_samples = ring_frames * frame_samples;
/** When the minimum of buffered audio over this many frames is too high, the delay is reduced. */
const window_frames = 100;

/** Difference of RTP timestamps, which wrap at 32 bits. */
const distance = (later: number, earlier: number): number => (later - earlier) | 0;

/** A range of timestamps without a packet, between packets that arrived. */
type Hole = { from: number; to: number };
/** Shared by all buffers without holes, so that the common case touches no list of its own. */
const no_holes: readonly Hole[] = [];

/** A flat record, changed by functions of this module: hundreds of them are read every 20 ms. */
export type JitterBuffer = {
  /** Decoded audio; the ring of this buffer starts at `ring_start`. Nothing is allocated during a call. */
  samples: Int16Array;
  ring_start: number;
  /** Position of the next frame in the ring. */
  position: number;
  /** The start of `samples`: every frame is copied there before it is returned. */
  frame: Int16Array;
  /** Missing audio before the newest packet; usually none. */
  holes: readonly Hole[];
  read_at: number;
  newest_end: number;
  started: boolean;
  missing_in_a_row: number;
  /** Frames before the first packet is played; they do not count as loss. */
  lead_in_frames: number;
  min_ready: number;
  frames_in_window: number;
  late_packets: number;
  concealed_samples: number;
  resets: number;
};

/** Rings share arrays in groups: one array each costs cache misses, one array for all would never be freed. */
const rings_per_array = 8;
let newest = { samples: new Int16Array(0), frame: new Int16Array(0), rings_left: 0 };

function newRings(): typeof newest {
  const samples = new Int16Array(frame_samples + rings_per_array * ring_samples);
  return { samples, frame: samples.subarray(0, frame_samples), rings_left: rings_per_array };
}

export function jitterBuffer(): JitterBuffer {
  if (newest.rings_left === 0) newest = newRings();
  const { samples, frame } = newest;
  return {
    samples,
    ring_start: frame_samples + --newest.rings_left * ring_samples,
    position: 0,
    frame,
    holes: no_holes,
    read_at: 0,
    newest_end: 0,
    started: false,
    missing_in_a_row: 0,
    lead_in_frames: 0,
    min_ready: max_ahead_samples,
    frames_in_window: 0,
    late_packets: 0,
    concealed_samples: 0,
    resets: 0,
  };
}

/** Drops the stream; the next packet starts a new one. */
export function restart(buffer: JitterBuffer): void {
  if (buffer.started) buffer.resets++;
  buffer.started = false;
}

/** How much audio is buffered. */
export const depth_ms = (buffer: JitterBuffer): number =>
  buffer.started ? Math.max(0, distance(buffer.newest_end, buffer.read_at)) / 8 : 0;

/** `start` and `end` are the bounds of the payload in `bytes`. */
export function push(
  buffer: JitterBuffer,
  timestamp: number,
  codec: G711,
  bytes: Uint8Array,
  start: number,
  end: number,
): void {
  const length = end - start;
  if (length <= 0 || length > max_ahead_samples / 4) return;
  if (!buffer.started) startAt(buffer, timestamp);
  let ahead = distance(timestamp, buffer.read_at);
  if (ahead > max_ahead_samples - length || ahead < -max_ahead_samples) {
    buffer.resets++;
    startAt(buffer, timestamp);
    ahead = target_samples;
  } else if (ahead < 0) {
    buffer.late_packets++;
    if (distance(timestamp, buffer.newest_end) < 0) return;
    // The newest there is came too late, so everything does: wait for it, and longer from here on.
    delayStart(buffer, timestamp, frame_samples);
    ahead = frame_samples;
  }
  const { samples, ring_start } = buffer;
  const at = (buffer.position + ahead) % ring_samples;
  const before_end = Math.min(length, ring_samples - at);
  codec.decodeInto(samples, ring_start + at, bytes, start, before_end);
  if (before_end < length) {
    codec.decodeInto(samples, ring_start, bytes, start + before_end, length - before_end);
  }
  const next = (timestamp + length) | 0;
  const skipped = distance(timestamp, buffer.newest_end);
  if (skipped > 0) buffer.holes = [...buffer.holes, { from: buffer.newest_end, to: timestamp }];
  else if (skipped < 0) closeHoles(buffer, timestamp, next);
  if (distance(next, buffer.newest_end) > 0) buffer.newest_end = next;
}

/** Always returns a frame. Its memory is reused by the next `pull`, also of other buffers. */
export function pull(buffer: JitterBuffer): Int16Array {
  const { samples, frame } = buffer;
  if (!buffer.started) return frame.fill(0);
  const ready = distance(buffer.newest_end, buffer.read_at);
  const missing = buffer.holes !== no_holes || ready < frame_samples ? conceal(buffer, ready) : 0;
  const from = buffer.ring_start + buffer.position;
  samples.copyWithin(0, from, from + frame_samples);
  // A gap inside the stream is loss. After the newest packet it may be a pause of the sender.
  if (buffer.lead_in_frames > 0) buffer.lead_in_frames--;
  else if (ready > 0) buffer.concealed_samples += missing;
  buffer.missing_in_a_row = missing === frame_samples ? buffer.missing_in_a_row + 1 : 0;
  advance(buffer);
  // After a long pause the sender's next packet starts a new stream; otherwise it would count as late.
  if (ready < -max_ahead_samples / 2) buffer.started = false;
  reduceDelay(buffer, ready);
  return frame;
}

function advance(buffer: JitterBuffer): void {
  buffer.read_at = (buffer.read_at + frame_samples) | 0;
  buffer.position = buffer.position + frame_samples === ring_samples ? 0 : buffer.position + frame_samples;
}

/** The packet with this timestamp is played `samples` later. */
function delayStart(buffer: JitterBuffer, timestamp: number, samples: number): void {
  buffer.read_at = (timestamp - samples) | 0;
  buffer.newest_end = timestamp;
  buffer.holes = [{ from: buffer.read_at, to: timestamp }];
}

function startAt(buffer: JitterBuffer, timestamp: number): void {
  delayStart(buffer, timestamp, target_samples);
  buffer.lead_in_frames = target_samples / frame_samples;
  buffer.started = true;
  buffer.min_ready = max_ahead_samples;
  buffer.frames_in_window = 0;
}

function closeHoles(buffer: JitterBuffer, from: number, to: number): void {
  const holes = buffer.holes.flatMap((hole) => {
    if (distance(from, hole.to) >= 0 || distance(hole.from, to) >= 0) return [hole];
    const left = distance(from, hole.from) > 0 ? [{ from: hole.from, to: from }] : [];
    const right = distance(hole.to, to) > 0 ? [{ from: to, to: hole.to }] : [];
    return [...left, ...right];
  });
  buffer.holes = holes.length === 0 ? no_holes : holes;
}

/** Fills missing audio with the last frame at half volume, later with silence; returns the number of missing samples. */
function conceal(buffer: JitterBuffer, ready: number): number {
  const { samples, ring_start, position, read_at } = buffer;
  const gain = buffer.missing_in_a_row < 2 ? 0.5 : 0;
  const start = ring_start + position;
  const last_start = ring_start + (position === 0 ? ring_samples : position) - frame_samples;
  let missing = 0;
  const patch = (from: number, to: number) => {
    const end = Math.min(to, frame_samples);
    for (let index = Math.max(0, from); index < end; index++) {
      samples[start + index] = samples[last_start + index]! * gain;
      missing++;
    }
  };
  for (const { from, to } of buffer.holes) patch(distance(from, read_at), distance(to, read_at));
  const holes = buffer.holes.filter(({ to }) => distance(to, read_at) > frame_samples);
  buffer.holes = holes.length === 0 ? no_holes : holes;
  patch(ready, frame_samples);
  return missing;
}

/** Skips a frame when the delay has grown: the other side's clock is faster, or earlier jitter is over. */
function reduceDelay(buffer: JitterBuffer, ready: number): void {
  if (ready < buffer.min_ready) buffer.min_ready = ready;
  if (++buffer.frames_in_window < window_frames) return;
  if (buffer.min_ready > target_samples + frame_samples) advance(buffer);
  buffer.min_ready = max_ahead_samples;
  buffer.frames_in_window = 0;
}
