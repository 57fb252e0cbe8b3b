// One call's sound over a WebSocket that a carrier opened: µ-law in JSON, paced by the carrier.
import { earlyFrames } from '../media/early-frames.ts';
import { g711 } from '../media/g711.ts';
import { toneSequence } from '../media/key-tones.ts';
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
import { textField } from './exchange.ts';

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
  const frames = earlyFrames();
  const { promise: closed, resolve } = Promise.withResolvers<MediaEnd>();
  const listeners = { digit: (_digit: string) => {} };
  let is_open = true;
  let frame = new Int16Array(frame_samples);
  let filled = 0;
  let last_heard_ms = clock.ms();
  /** How far their stream has been heard or filled up. */
  let covered_ms: number | null = null;

  const send = (...messages: unknown[]) => {
    if (is_open) socket.send(...messages.map((message) => JSON.stringify(message)));
  };
  const playback = remotePlayback({
    clock,
    send(pcm, mark) {
      const bytes = Buffer.allocUnsafe(pcm.length);
      codec.encodeInto(bytes, 0, pcm);
      send(dialect.media(bytes.toString('base64')), dialect.mark(mark));
    },
    clear: () => send(dialect.clear()),
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
      for (let index = 0; index < count; index++) {
        frame[filled + index] = codec.decode_table[bytes[at + index]!]!;
      }
      at += count;
      filled += count;
      if (filled < frame_samples) return;
      const whole = frame;
      frame = new Int16Array(frame_samples);
      filled = 0;
      frames.hear(whole);
    }
  };
  const fillUp = (ms: number) => {
    for (let left = Math.min(ms, most_filled_ms); left >= frame_ms; left -= frame_ms) {
      frames.hear(new Int16Array(frame_samples));
    }
  };

  const hear = (payload: string, timestamp: unknown) => {
    const bytes = Buffer.from(payload, 'base64');
    const at_ms = typeof timestamp === 'string' ? Number(timestamp) : Number.NaN;
    if (covered_ms !== null && at_ms - covered_ms >= frame_ms) fillUp(at_ms - covered_ms);
    if (Number.isFinite(at_ms)) covered_ms = Math.max(covered_ms ?? 0, at_ms + bytes.length / 8);
    last_heard_ms = clock.ms();
    decode(bytes);
  };

  const stopWatching = clock.every(stall_ms, () => {
    const silent_ms = clock.ms() - last_heard_ms;
    if (silent_ms > dead_after_ms) {
      end({ by: 'failure', detail: `no sound for ${dead_after_ms / 1000} s` });
      socket.close(1001, 'no sound');
      deps.hangUp();
    } else if (silent_ms >= stall_ms) {
      fillUp(stall_ms);
      if (covered_ms !== null) covered_ms += stall_ms;
    }
  });
  socket.onClose((code) => end({ by: 'failure', detail: `the media socket was closed (${code})` }));

  const session: MediaSession = {
    onFrame: frames.listen,
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
    receive(message: unknown): void {
      // Fifty times a second for every call: read without detours.
      const { event, media } = (message ?? {}) as { event?: unknown; media?: Media | null };
      if (event === 'media') {
        const { payload, track = 'inbound', timestamp } = media ?? {};
        if (typeof payload === 'string' && track === 'inbound') hear(payload, timestamp);
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
