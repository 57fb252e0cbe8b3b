// Records a call as a stereo WAV while it lasts: the other party on the left, our side on the right.
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { unknown_length, wavHeader } from '../../protocols/audio/wav.ts';
import { earlyFrames } from './early-frames.ts';
import type { MediaClock } from './media-clock.ts';
import { frame_samples, line_rate_hz, type MediaSession, msOf, samplesOf } from './media-session.ts';

export type Recording = {
  /** The same session, with its audio recorded. Use it from now on. */
  session: MediaSession;
  /**
   * Writes the rest and ends the stream. The header in the stream has no length, because it was written first: replace
   * it with the returned one where the storage allows it.
   */
  finish(): Promise<{ duration_ms: number; size_bytes: number; header: Buffer }>;
};

/** The network delivers frames in bursts. A gap shorter than this is no pause of the speaker. */
const max_jitter = samplesOf(60);
/** Audio is written after this delay, when neither side can get earlier audio any more. */
const write_delay = samplesOf(200);
const max_backlog_bytes = 4 * 1024 * 1024;

export function recordCall(deps: { clock: MediaClock; session: MediaSession; to: Writable }): Recording {
  const { clock, session, to } = deps;
  let started_ms = clock.ms();
  const sides = [side(), side()] as const;
  let byte_count = 0;
  let failure: Error | null = null;
  to.on('error', (error) => {
    failure ??= error;
  });
  const write = (bytes: Buffer) => {
    // A disk or store that is too slow must not fill the memory.
    if (to.writableLength > max_backlog_bytes)
      failure ??= new Error('The recording could not be written in time.');
    if (!failure) to.write(bytes);
  };
  write(wavHeader({ rate_hz: line_rate_hz, channels: 2, data_bytes: unknown_length }));

  const position = () => samplesOf(clock.ms() - started_ms);
  const flush = (until: number) => {
    const count = until - byte_count;
    if (count <= 0) return;
    const bytes = Buffer.alloc(count * 4);
    for (const [channel, { take }] of sides.entries()) {
      const samples = take(count);
      for (let i = 0; i < samples.length; i++) bytes.writeInt16LE(samples[i]!, 4 * i + 2 * channel);
    }
    byte_count += count;
    write(bytes);
  };
  const record = (channel: 0 | 1, pcm: Int16Array) => {
    const now = position();
    // The frame ends now, unless this side is already ahead of the clock.
    sides[channel].add(pcm, now - pcm.length, byte_count);
    const due = now - write_delay;
    if (due - byte_count >= 10 * frame_samples) flush(due);
  };

  const frames = earlyFrames();
  // Audio from before the first listener arrives during onFrame(). It belongs before the current time.
  let early: Int16Array[] | null = [];
  session.onFrame((pcm) => {
    // The frame's buffer is reused before it is written.
    const copy = pcm.slice();
    if (early) early.push(copy);
    else record(0, copy);
    frames.push(pcm);
  });
  const early_frames = early;
  early = null;
  let at = 0;
  for (const pcm of early_frames) {
    sides[0].add(pcm, at, 0);
    at += pcm.length;
  }
  started_ms -= msOf(at);
  session.onPlayed((pcm) => record(1, pcm));

  return {
    session: {
      ...session,
      onFrame: frames.onFrame,
    },
    async finish() {
      flush(Math.max(byte_count, ...sides.map(({ end }) => end(byte_count))));
      to.end();
      if (!failure && !to.writableFinished)
        await once(to, 'finish').catch((error) => (failure ??= error as Error));
      if (failure) throw failure;
      const data_bytes = byte_count * 4;
      const { header, duration_ms } = recordingHeader(data_bytes);
      return { duration_ms, size_bytes: header.length + data_bytes, header };
    },
  };
}

/** The header of a recording with so many bytes of audio, and how long that is. */
export const recordingHeader = (data_bytes: number): { header: Buffer; duration_ms: number } => ({
  header: wavHeader({ rate_hz: line_rate_hz, channels: 2, data_bytes }),
  duration_ms: Math.round(msOf(data_bytes / 4)),
});

/** The audio of one side that is not written yet, with its position in time. */
function side() {
  let waiting: { at: number; pcm: Int16Array }[] = [];
  let last_end = 0;
  let start = 0;
  return {
    add(pcm: Int16Array, position: number, written: number) {
      const at = Math.max(written, position - last_end > max_jitter ? position : last_end);
      waiting.push({ at, pcm });
      last_end = at + pcm.length;
    },
    end: (written: number) => (waiting.length > 0 ? last_end : written),
    /** The next samples, with silence where there is no audio. */
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
