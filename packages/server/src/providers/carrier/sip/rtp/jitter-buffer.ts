// Evens out the network: packets go in as they come, one frame of 20 ms comes out a tick, 40 to 60 ms later.
import type { G711 } from '../../../../protocols/audio/g711.ts';
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

/** A plain record, and functions of the module over it: hundreds of these are walked through every 20 ms. */
export type JitterBuffer = {
  /** Sound lies there decoded as it came, in the part that begins here. Nothing is allocated while a call lasts. */
  samples: Int16Array;
  ring_start: number;
  /** Where the frame that is heard next begins in the ring. */
  place: number;
  /** The beginning of the samples, where each frame is heard. */
  frame: Int16Array;
  /** Of what lies before the newest; mostly there is none. */
  holes: readonly Hole[];
  read_at: number;
  newest_end: number;
  started: boolean;
  missing_in_a_row: number;
  /** Frames of the wait before the first packet is heard: they are no loss. */
  lead_in_frames: number;
  least_ready: number;
  frames_in_window: number;
  late_packets: number;
  concealed_samples: number;
  resets: number;
};

/** An array of its own would have to be fetched for every packet, and one for all would keep what ended calls held. */
const rings_an_array = 8;
let newest = { samples: new Int16Array(0), frame: new Int16Array(0), rings_left: 0 };

function makeRings(): typeof newest {
  const samples = new Int16Array(frame_samples + rings_an_array * ring_samples);
  return { samples, frame: samples.subarray(0, frame_samples), rings_left: rings_an_array };
}

export function jitterBuffer(): JitterBuffer {
  if (newest.rings_left === 0) newest = makeRings();
  const { samples, frame } = newest;
  return {
    samples,
    ring_start: frame_samples + --newest.rings_left * ring_samples,
    place: 0,
    frame,
    holes: no_holes,
    read_at: 0,
    newest_end: 0,
    started: false,
    missing_in_a_row: 0,
    lead_in_frames: 0,
    least_ready: most_ahead_samples,
    frames_in_window: 0,
    late_packets: 0,
    concealed_samples: 0,
    resets: 0,
  };
}

/** Forgets the stream; the next packet begins a new one. */
export function restart(buffer: JitterBuffer): void {
  if (buffer.started) buffer.resets++;
  buffer.started = false;
}

/** How much lies ready to be heard. */
export const depth_ms = (buffer: JitterBuffer): number =>
  buffer.started ? Math.max(0, distance(buffer.newest_end, buffer.read_at)) / 8 : 0;

/** The payload stands from `start` to `end` in the bytes. */
export function push(
  buffer: JitterBuffer,
  timestamp: number,
  codec: G711,
  bytes: Uint8Array,
  start: number,
  end: number,
): void {
  const length = end - start;
  if (length <= 0 || length > most_ahead_samples / 4) return;
  if (!buffer.started) startAt(buffer, timestamp);
  let ahead = distance(timestamp, buffer.read_at);
  if (ahead > most_ahead_samples - length || ahead < -most_ahead_samples) {
    buffer.resets++;
    startAt(buffer, timestamp);
    ahead = target_samples;
  } else if (ahead < 0) {
    buffer.late_packets++;
    if (distance(timestamp, buffer.newest_end) < 0) return;
    // The newest there is came too late, so everything does: wait for it, and longer from here on.
    wait(buffer, timestamp, frame_samples);
    ahead = frame_samples;
  }
  const { samples, ring_start } = buffer;
  const at = (buffer.place + ahead) % ring_samples;
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

/** Always a frame. It is lent: the next one, of whichever buffer, is written over it. */
export function pull(buffer: JitterBuffer): Int16Array {
  const { samples, frame } = buffer;
  if (!buffer.started) return frame.fill(0);
  const ready = distance(buffer.newest_end, buffer.read_at);
  const missing = buffer.holes !== no_holes || ready < frame_samples ? conceal(buffer, ready) : 0;
  const from = buffer.ring_start + buffer.place;
  samples.copyWithin(0, from, from + frame_samples);
  // A gap inside the stream is loss; beyond its newest packet it may as well be a pause of the sender.
  if (buffer.lead_in_frames > 0) buffer.lead_in_frames--;
  else if (ready > 0) buffer.concealed_samples += missing;
  buffer.missing_in_a_row = missing === frame_samples ? buffer.missing_in_a_row + 1 : 0;
  nextPlace(buffer);
  // A sender that pauses must not find itself ages late when it goes on.
  if (ready < -most_ahead_samples / 2) buffer.started = false;
  shrinkWhenIdle(buffer, ready);
  return frame;
}

function nextPlace(buffer: JitterBuffer): void {
  buffer.read_at = (buffer.read_at + frame_samples) | 0;
  buffer.place = buffer.place + frame_samples === ring_samples ? 0 : buffer.place + frame_samples;
}

/** The packet of this timestamp is heard so much later. */
function wait(buffer: JitterBuffer, timestamp: number, samples: number): void {
  buffer.read_at = (timestamp - samples) | 0;
  buffer.newest_end = timestamp;
  buffer.holes = [{ from: buffer.read_at, to: timestamp }];
}

function startAt(buffer: JitterBuffer, timestamp: number): void {
  wait(buffer, timestamp, target_samples);
  buffer.lead_in_frames = target_samples / frame_samples;
  buffer.started = true;
  buffer.least_ready = most_ahead_samples;
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

/** Fills what has not come in time by a fading repeat, then silence; returns how many samples that were. */
function conceal(buffer: JitterBuffer, ready: number): number {
  const { samples, ring_start, place, read_at } = buffer;
  const gain = buffer.missing_in_a_row < 2 ? 0.5 : 0;
  const start = ring_start + place;
  const last_start = ring_start + (place === 0 ? ring_samples : place) - frame_samples;
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

/** The other side's clock is faster, or jitter made us wait long and has gone: skip a frame. */
function shrinkWhenIdle(buffer: JitterBuffer, ready: number): void {
  if (ready < buffer.least_ready) buffer.least_ready = ready;
  if (++buffer.frames_in_window < window_frames) return;
  if (buffer.least_ready > target_samples + frame_samples) nextPlace(buffer);
  buffer.least_ready = most_ahead_samples;
  buffer.frames_in_window = 0;
}
