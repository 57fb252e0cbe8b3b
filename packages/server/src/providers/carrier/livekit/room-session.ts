// The media session of a call in a LiveKit room: paces our audio into the client library, and receives the phone's.
import { earlyFrames } from '../../media/early-frames.ts';
import type { MediaClock } from '../../media/media-clock.ts';
import {
  digitPattern,
  frame_ms,
  frame_samples,
  type MediaEnd,
  type MediaSession,
} from '../../media/media-session.ts';
import { playbackQueue } from '../../media/playback-queue.ts';
import type { JoinedRoom } from './room-port.ts';

/** Frames that the library holds, so that a late tick of ours is not heard. `clear` drops them. */
const frames_ahead = 3;
/** The time from our hand-over until the phone's carrier has the audio. A hang-up before that would cut off the last word. */
const path_ms = 200;
/** livekit-sip sends a key as a tone of 250 ms and a pause of 250 ms. */
const digit_ms = 500;
/**
 * After this time without audio the gap is filled with silence. The library itself conceals lost packets; frames that a busy
 * process has not read yet still arrive.
 */
const stall_frames = 1000 / frame_ms;
/** More audio than this in the queue is a bug of the writer; it is dropped. */
const max_queued_ms = 300_000;
const silence = new Int16Array(frame_samples);

export type RoomSessionDeps = {
  clock: MediaClock;
  room: Pick<JoinedRoom, 'play' | 'clear' | 'sendDigit'>;
  /** Ends the call at LiveKit, after the session was closed by us. */
  hangUp(): void;
  /** Leaves the room, after another process took the call over. */
  leave(): void;
};

export type RoomSession = ReturnType<typeof roomSession>;

export function roomSession({ clock, room, hangUp, leave }: RoomSessionDeps) {
  const incoming = incomingAudio();
  const outgoing = outgoingAudio(clock, room);
  const closing = Promise.withResolvers<MediaEnd>();
  let onDigit = (_digit: string) => {};
  let is_open = true;
  const end = (how: MediaEnd): void => {
    if (!is_open) return;
    is_open = false;
    stop();
    outgoing.queue.end();
    closing.resolve(how);
  };
  const stop = clock.every(frame_ms, () => {
    outgoing.tick();
    incoming.tick();
  });

  const session: MediaSession = {
    onFrame: incoming.onFrame,
    onDigit(listener) {
      onDigit = listener;
    },
    onPlayed: outgoing.onPlayed,
    write: outgoing.write,
    mark: outgoing.mark,
    clear: outgoing.clear,
    played_ms: outgoing.queue.played_ms,
    async sendDigits(digits) {
      if (!digitPattern.test(digits)) throw new Error('Only 0-9, *, # and A-D can be sent, at most 64.');
      for (const digit of digits) {
        if (!is_open) return;
        // A key that is lost with the connection must not end the call.
        await room.sendDigit(digit).catch(() => {});
        await Promise.race([passed(clock, digit_ms), closing.promise]);
      }
    },
    close() {
      if (!is_open) return;
      end({ by: 'us' });
      hangUp();
    },
    leave() {
      if (!is_open) return;
      end({ by: 'us' });
      leave();
    },
    closed: closing.promise,
  };
  return {
    session,
    receive: incoming.receive,
    digit(digit: string): void {
      if (is_open && digit.length === 1 && digitPattern.test(digit)) onDigit(digit);
    },
    /** Ends the session for a reason from outside, such as the phone's hang-up. */
    end,
  };
}

const passed = (clock: MediaClock, ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));

function outgoingAudio(clock: MediaClock, room: RoomSessionDeps['room']) {
  const queue = playbackQueue();
  let onPlayed = (_pcm: Int16Array) => {};
  /** Frames in the library, by our own count: it plays one in each period. */
  let ahead = 0;
  let last_frame_ms = Number.NEGATIVE_INFINITY;
  const sendNext = (): boolean => {
    const frame = queue.take();
    if (frame === null) return false;
    room.play(frame);
    last_frame_ms = clock.ms();
    ahead++;
    onPlayed(frame);
    return true;
  };
  return {
    queue,
    onPlayed(listener: (pcm: Int16Array) => void): void {
      onPlayed = listener;
    },
    write(pcm: Int16Array): void {
      if (queue.waiting_ms() <= max_queued_ms) queue.push(pcm);
    },
    async mark(): Promise<'played' | 'cleared'> {
      const how = await queue.mark();
      const left_ms = last_frame_ms + path_ms - clock.ms();
      if (how === 'played' && left_ms > 0) await passed(clock, left_ms);
      return how;
    },
    clear(): void {
      queue.clear();
      ahead = 0;
      last_frame_ms = Number.NEGATIVE_INFINITY;
      room.clear();
    },
    tick(): void {
      if (ahead > 0) ahead--;
      while (ahead < frames_ahead && sendNext());
    },
  };
}

/** Passes the phone's frames on, and fills gaps with silence. */
function incomingAudio() {
  const early = earlyFrames();
  let emit = early.push;
  let frames_without_audio = 0;
  return {
    onFrame(listener: (pcm: Int16Array) => void): void {
      early.onFrame(listener);
      emit = listener;
    },
    receive(pcm: Int16Array): void {
      if (pcm.length !== frame_samples) return;
      frames_without_audio = 0;
      emit(pcm);
    },
    tick(): void {
      frames_without_audio++;
      if (frames_without_audio < stall_frames) return;
      const missed = frames_without_audio === stall_frames ? stall_frames : 1;
      for (let count = 0; count < missed; count++) emit(silence);
    },
  };
}
