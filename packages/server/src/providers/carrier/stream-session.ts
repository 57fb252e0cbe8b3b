// The media session of a call whose audio comes over a carrier's WebSocket: µ-law in JSON messages.
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
import { parseJson, textField } from './carrier-http.ts';

type Media = { payload?: unknown; track?: unknown; timestamp?: unknown };

/** The carrier's own JSON messages. */
export type StreamDialect = {
  media(payload: string): unknown;
  mark(name: string): unknown;
  clear(): unknown;
};

export type StreamDeps = {
  clock: MediaClock;
  socket: MediaSocket;
  dialect: StreamDialect;
  /** Null: digits are played as tones. */
  sendDigits: ((digits: string) => Promise<void>) | null;
  /** Ends the call at the carrier, after the session was closed by us or its socket failed. */
  hangUp(): void;
};

/** After this time without audio the gap is filled with silence. Shorter gaps are network delays; their audio still arrives. */
const stall_ms = 1000;
const max_fill_ms = 2000;
const dead_after_ms = 30_000;
const payload_placeholder = '<payload>';
const silence = new Int16Array(frame_samples);

export function streamSession(deps: StreamDeps) {
  const { clock, socket } = deps;
  const incoming = incomingAudio();
  const { promise: closed, resolve } = Promise.withResolvers<MediaEnd>();
  let onDigit = (_digit: string) => {};
  let is_open = true;
  const playback = remotePlayback({ clock, ...audioSender(deps, () => is_open) });

  const end = (how: MediaEnd) => {
    if (!is_open) return;
    is_open = false;
    stopWatching();
    playback.end();
    resolve(how);
  };
  /** Without its audio a call may go on at the carrier, and the person would stay on a silent line. */
  const fail = (detail: string) => {
    if (!is_open) return;
    end({ by: 'failure', detail });
    deps.hangUp();
  };
  const stopWatching = clock.every(stall_ms, () => {
    if (incoming.checkStall()) return;
    fail(`no audio for ${dead_after_ms / 1000} s`);
    socket.close(1001, 'no audio');
  });
  socket.onClose((code) => fail(`the media socket was closed (${code})`));

  const session: MediaSession = {
    onFrame: incoming.onFrame,
    onDigit(listener) {
      onDigit = listener;
    },
    onPlayed: playback.onPlayed,
    write: playback.write,
    mark: playback.mark,
    clear: playback.clear,
    played_ms: playback.played_ms,
    async sendDigits(digits) {
      if (!digitPattern.test(digits)) throw new Error('Only 0-9, *, # and A-D can be sent, at most 64.');
      if (!is_open) return;
      if (deps.sendDigits) return deps.sendDigits(digits);
      playback.write(toneSequence(digits));
      await playback.mark();
    },
    close() {
      if (!is_open) return;
      session.leave!();
      deps.hangUp();
    },
    leave() {
      if (!is_open) return;
      end({ by: 'us' });
      socket.close(1000, '');
    },
    closed,
  };

  return {
    session,
    /** Handles a message of the carrier after `start`. */
    receive: messageReader({
      media: incoming.receive,
      mark: playback.confirm,
      digit: (digit) => onDigit(digit),
      stop() {
        end({ by: 'them' });
        socket.close(1000, '');
      },
    }),
  };
}

/** Sends audio and marks as JSON messages of the carrier. */
function audioSender({ socket, dialect }: StreamDeps, isOpen: () => boolean) {
  const codec = g711('PCMU');
  // The JSON around the payload is serialized once: base64 needs no escaping, and the payload is long.
  const [before, after] = JSON.stringify(dialect.media(payload_placeholder)).split(payload_placeholder);
  return {
    send(pcm: Int16Array, mark: string): void {
      if (!isOpen()) return;
      const bytes = Buffer.allocUnsafe(pcm.length);
      codec.encodeInto(bytes, 0, pcm, 0, pcm.length);
      socket.send(`${before}${bytes.toString('base64')}${after}`, JSON.stringify(dialect.mark(mark)));
    },
    clear(): void {
      if (isOpen()) socket.send(JSON.stringify(dialect.clear()));
    },
  };
}

/** Decodes the carrier's audio into frames, and fills gaps with silence. */
function incomingAudio() {
  const codec = g711('PCMU');
  const early = earlyFrames();
  let emit = early.push;
  /** Reused for every frame; holds the start of the next frame until it is full. */
  const frame = new Int16Array(frame_samples);
  let filled = 0;
  /** Complete periods of `stall_ms` without audio; -1 in a period that has some. */
  let silent_periods = 0;
  /** Position in the carrier's stream up to which audio was received or filled with silence. */
  let covered_ms: number | null = null;

  const decode = (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; ) {
      const count = Math.min(bytes.length - at, frame_samples - filled);
      codec.decodeInto(frame, filled, bytes, at, count);
      at += count;
      filled += count;
      if (filled < frame_samples) return;
      filled = 0;
      emit(frame);
    }
  };
  const fillWithSilence = (ms: number) => {
    for (let left = Math.min(ms, max_fill_ms); left >= frame_ms; left -= frame_ms) emit(silence);
  };

  return {
    onFrame(listener: (pcm: Int16Array) => void): void {
      early.onFrame(listener);
      emit = listener;
    },
    receive(payload: string, timestamp: unknown): void {
      const bytes = Buffer.from(payload, 'base64');
      const at_ms = typeof timestamp === 'string' ? Number(timestamp) : Number.NaN;
      if (covered_ms !== null && at_ms - covered_ms >= frame_ms) fillWithSilence(at_ms - covered_ms);
      if (Number.isFinite(at_ms)) covered_ms = Math.max(covered_ms ?? 0, at_ms + bytes.length / 8);
      silent_periods = -1;
      decode(bytes);
    },
    /** Called once per `stall_ms`. False when the carrier has sent no audio for `dead_after_ms`. */
    checkStall(): boolean {
      silent_periods++;
      if (silent_periods * stall_ms >= dead_after_ms) return false;
      if (silent_periods > 0) {
        fillWithSilence(stall_ms);
        if (covered_ms !== null) covered_ms += stall_ms;
      }
      return true;
    },
  };
}

/** Parses a message of the carrier and calls the handler of its type; other messages are ignored. */
function messageReader(handlers: {
  media(payload: string, timestamp: unknown): void;
  mark(name: string): void;
  digit(digit: string): void;
  stop(): void;
}) {
  return (text: string): void => {
    const message = parseJson(text);
    // Media comes 50 times per second and call, so its fields are read directly instead of by textField().
    const { event, media } = (message ?? {}) as { event?: unknown; media?: Media | null };
    if (event === 'media') {
      const { payload, track = 'inbound', timestamp } = media ?? {};
      if (typeof payload === 'string' && track === 'inbound') handlers.media(payload, timestamp);
    } else if (event === 'mark') {
      handlers.mark(textField(message, 'mark', 'name') ?? '');
    } else if (event === 'dtmf') {
      const digit = textField(message, 'dtmf', 'digit') ?? '';
      if (digit.length === 1 && digitPattern.test(digit)) handlers.digit(digit);
    } else if (event === 'stop') {
      handlers.stop();
    }
  };
}
