// One call's sound over a WebSocket that a carrier opened: µ-law in JSON, paced by the carrier.

import { toneSequence } from '../../protocols/audio/dtmf-tones.ts';
import { g711 } from '../../protocols/audio/g711.ts';
import { earlyFrames } from '../media/early-frames.ts';
import type { MediaClock } from '../media/media-clock.ts';
import {
  digitPattern,
  frame_ms,
  frame_samples,
  type MediaEnd,
  type MediaSession,
} from '../media/media-session.ts';
import { remotePlayback } from '../media/remote-playback.ts';
import type { MediaSocket } from './carrier.ts';
import { textField } from './carrier-http.ts';

type Media = { payload?: unknown; track?: unknown; timestamp?: unknown };

export type StreamDialect = {
  media(payload: string): unknown;
  mark(name: string): unknown;
  clear(): unknown;
};

/** A carrier that sends nothing for so long is taken for silent; a shorter stall is the network's, and its sound will come. */
const stall_ms = 1000;
const most_filled_ms = 2000;
const dead_after_ms = 30_000;
const place_of_sound = '<sound>';
const silence = new Int16Array(frame_samples);

export function streamSession(deps: {
  clock: MediaClock;
  socket: MediaSocket;
  dialect: StreamDialect;
  /** Null: keys are played as tones. */
  sendDigits: ((digits: string) => Promise<void>) | null;
  /** The session was closed by us: the call must end with it. */
  hangUp(): void;
}) {
  const { clock, socket, dialect } = deps;
  const codec = g711('PCMU');
  const early = earlyFrames();
  let hear = early.hear;
  const { promise: closed, resolve } = Promise.withResolvers<MediaEnd>();
  const listeners = { digit: (_digit: string) => {} };
  let is_open = true;
  /** Lent to the listener when it is full; until then the beginning of what is heard next. */
  const frame = new Int16Array(frame_samples);
  let filled = 0;
  /** Whole ones since the last sound; below zero in the one that has some. */
  let silent_periods = 0;
  /** How far their stream has been heard or filled up. */
  let covered_ms: number | null = null;

  // Written once around an empty place: base64 needs no escaping, and is long.
  const [before_sound, after_sound] = JSON.stringify(dialect.media(place_of_sound)).split(place_of_sound);
  const playback = remotePlayback({
    clock,
    send(pcm, mark) {
      if (!is_open) return;
      const bytes = Buffer.allocUnsafe(pcm.length);
      codec.encodeInto(bytes, 0, pcm, 0, pcm.length);
      const sound = bytes.toString('base64');
      socket.send(`${before_sound}${sound}${after_sound}`, JSON.stringify(dialect.mark(mark)));
    },
    clear() {
      if (is_open) socket.send(JSON.stringify(dialect.clear()));
    },
  });

  const end = (how: MediaEnd) => {
    if (!is_open) return;
    is_open = false;
    stopWatching();
    playback.end();
    resolve(how);
  };

  const decode = (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; ) {
      const count = Math.min(bytes.length - at, frame_samples - filled);
      codec.decodeInto(frame, filled, bytes, at, count);
      at += count;
      filled += count;
      if (filled < frame_samples) return;
      filled = 0;
      hear(frame);
    }
  };
  const fillUp = (ms: number) => {
    for (let left = Math.min(ms, most_filled_ms); left >= frame_ms; left -= frame_ms) {
      hear(silence);
    }
  };

  const receiveSound = (payload: string, timestamp: unknown) => {
    const bytes = Buffer.from(payload, 'base64');
    const at_ms = typeof timestamp === 'string' ? Number(timestamp) : Number.NaN;
    if (covered_ms !== null && at_ms - covered_ms >= frame_ms) fillUp(at_ms - covered_ms);
    if (Number.isFinite(at_ms)) covered_ms = Math.max(covered_ms ?? 0, at_ms + bytes.length / 8);
    silent_periods = -1;
    decode(bytes);
  };

  const stopWatching = clock.every(stall_ms, () => {
    silent_periods++;
    if (silent_periods * stall_ms >= dead_after_ms) {
      end({ by: 'failure', detail: `no sound for ${dead_after_ms / 1000} s` });
      socket.close(1001, 'no sound');
      deps.hangUp();
    } else if (silent_periods > 0) {
      fillUp(stall_ms);
      if (covered_ms !== null) covered_ms += stall_ms;
    }
  });
  socket.onClose((code) => end({ by: 'failure', detail: `the media socket was closed (${code})` }));

  const session: MediaSession = {
    onFrame(listener) {
      early.listen(listener);
      hear = listener;
    },
    onDigit(listener) {
      listeners.digit = listener;
    },
    onPlayed: playback.onPlayed,
    write: playback.write,
    mark: playback.mark,
    clear: playback.clear,
    played_ms: playback.played_ms,
    async sendDigits(digits) {
      if (!digitPattern.test(digits)) throw new Error('Only 0-9, *, # and A-D can be pressed, 64 at most.');
      if (!is_open) return;
      if (deps.sendDigits) return deps.sendDigits(digits);
      playback.write(toneSequence(digits));
      await playback.mark();
    },
    close() {
      if (!is_open) return;
      end({ by: 'us' });
      socket.close(1000, '');
      deps.hangUp();
    },
    closed,
  };

  return {
    session,
    /** What the carrier says after the start. */
    receive(text: string): void {
      const message = parsed(text);
      // Fifty times a second for every call: read without detours.
      const { event, media } = (message ?? {}) as { event?: unknown; media?: Media | null };
      if (event === 'media') {
        const { payload, track = 'inbound', timestamp } = media ?? {};
        if (typeof payload === 'string' && track === 'inbound') receiveSound(payload, timestamp);
        return;
      }
      switch (event) {
        case 'mark':
          playback.confirm(textField(message, 'mark', 'name') ?? '');
          break;
        case 'dtmf': {
          const digit = textField(message, 'dtmf', 'digit') ?? '';
          if (digit.length === 1 && digitPattern.test(digit)) listeners.digit(digit);
          break;
        }
        case 'stop':
          end({ by: 'them' });
          socket.close(1000, '');
          break;
      }
    },
  };
}

/** Null for what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
