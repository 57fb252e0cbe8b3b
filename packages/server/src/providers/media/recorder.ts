// Records a call as a stereo WAV while it lasts: the other party on the left, our side on the right.
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { unknown_length, wavHeader } from '../../protocols/audio/wav.ts';
import { earlyFrames } from './early-frames.ts';
import type { MediaClock } from './media-clock.ts';
import { frame_samples, line_rate_hz, type MediaSession, msOf, samplesOf } from './media-session.ts';

export type Recording = {
  /** The session to use from now on: the same one, overheard. */
  session: MediaSession;
  /**
   * Writes the rest and ends the stream. The head went out before the length was known: whoever can should put this
   * one in its place.
   */
  finish(): Promise<{ duration_ms: number; size_bytes: number; header: Buffer }>;
};

/** Frames come in bunches; a gap shorter than this is the network's, not the speaker's. */
const tolerated_gap = samplesOf(60);
/** Both sides of a moment are written when neither can change any more. */
const settled_after = samplesOf(200);
const longest_backlog_bytes = 4 * 1024 * 1024;

export function recordCall(deps: { clock: MediaClock; session: MediaSession; to: Writable }): Recording {
  const { clock, session, to } = deps;
  let started_ms = clock.ms();
  const sides = [side(), side()] as const;
  let written = 0;
  let failure: Error | null = null;
  to.on('error', (error) => {
    failure ??= error;
  });
  const write = (bytes: Buffer) => {
    // A disk or store that cannot keep up must not take the memory of the call.
    if (to.writableLength > longest_backlog_bytes)
      failure ??= new Error('The recording could not be written in time.');
    if (!failure) to.write(bytes);
  };
  write(wavHeader({ rate_hz: line_rate_hz, channels: 2, data_bytes: unknown_length }));

  const position = () => samplesOf(clock.ms() - started_ms);
  const flush = (until: number) => {
    const count = until - written;
    if (count <= 0) return;
    const bytes = Buffer.alloc(count * 4);
    for (const [channel, { take }] of sides.entries()) {
      const samples = take(count);
      for (let i = 0; i < samples.length; i++) bytes.writeInt16LE(samples[i]!, 4 * i + 2 * channel);
    }
    written += count;
    write(bytes);
  };
  const hear = (channel: 0 | 1, pcm: Int16Array) => {
    const now = position();
    // The frame ends now, unless the side is ahead of the clock already.
    sides[channel].add(pcm, now - pcm.length, written);
    const due = now - settled_after;
    if (due - written >= 10 * frame_samples) flush(due);
  };

  const frames = earlyFrames();
  // What was said before anybody listened comes at once, and belongs before this moment.
  let early: Int16Array[] | null = [];
  session.onFrame((pcm) => {
    // Written later than it is lent for.
    const kept = pcm.slice();
    if (early) early.push(kept);
    else hear(0, kept);
    frames.hear(pcm);
  });
  const heard_before = early;
  early = null;
  let at = 0;
  for (const pcm of heard_before) {
    sides[0].add(pcm, at, 0);
    at += pcm.length;
  }
  started_ms -= msOf(at);
  session.onPlayed((pcm) => hear(1, pcm));

  return {
    session: {
      ...session,
      onFrame: frames.listen,
    },
    async finish() {
      flush(Math.max(written, ...sides.map(({ end }) => end(written))));
      to.end();
      if (!failure && !to.writableFinished)
        await once(to, 'finish').catch((error) => (failure ??= error as Error));
      if (failure) throw failure;
      const data_bytes = written * 4;
      const header = wavHeader({ rate_hz: line_rate_hz, channels: 2, data_bytes });
      return { duration_ms: Math.round(msOf(written)), size_bytes: header.length + data_bytes, header };
    },
  };
}

/** One side's sound that is not written yet, in its place in time. */
function side() {
  let waiting: { at: number; pcm: Int16Array }[] = [];
  let last_end = 0;
  let start = 0;
  return {
    add(pcm: Int16Array, wanted: number, written: number) {
      const at = Math.max(written, wanted - last_end > tolerated_gap ? wanted : last_end);
      waiting.push({ at, pcm });
      last_end = at + pcm.length;
    },
    end: (written: number) => (waiting.length > 0 ? last_end : written),
    /** The next samples, silence where nothing was said. */
    take(count: number): Int16Array {
      const out = new Int16Array(count);
      const from = start;
      start += count;
      waiting = waiting.flatMap(({ at, pcm }) => {
        const offset = at - from;
        if (offset >= count) return [{ at, pcm }];
        const fits = pcm.subarray(0, Math.max(0, count - offset));
        out.set(fits, offset);
        return fits.length < pcm.length ? [{ at: at + fits.length, pcm: pcm.subarray(fits.length) }] : [];
      });
      return out;
    },
  };
}
