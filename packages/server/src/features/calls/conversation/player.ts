// Speaks: clauses in, sound on the line out; knows at any moment how much of it has been heard.
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import { type MediaSession, msOf, samplesOf } from '../../../providers/media/media-session.ts';
import type { Tts } from '../../../providers/tts/tts.ts';

type Clause = { text: string; from: number; samples: number; is_whole: boolean };

export type Speech = ReturnType<ReturnType<typeof mouth>['begin']>;

/** Sound is made this far ahead: further would be wasted when the other party interrupts. */
const ahead_ms = 2000;
/** Somebody who was interrupted takes up the last word again. */
const taken_up_again = samplesOf(160);

export function mouth(deps: {
  session: MediaSession;
  tts: Tts;
  clock: MediaClock;
  voice: string | null;
  language: string;
}) {
  const { session, tts, clock } = deps;

  /** One thing said, from its first clause to the last. */
  function begin() {
    const waiting: string[] = [];
    const clauses: Clause[] = [];
    const stopping = new AbortController();
    let sound: { from: number; pcm: Int16Array }[] = [];
    let made = 0;
    let is_finished = false;
    let paused_at: number | null = null;
    /** Where the line stood when we last began to write to it. */
    let base = { sample: 0, played_ms: session.played_ms() };
    let first_sound_ms: number | null = null;
    let first_frame_ms: number | null = null;
    let changed = Promise.withResolvers<void>();
    const change = () => {
      changed.resolve();
      changed = Promise.withResolvers();
    };

    const position = (): number =>
      paused_at ?? Math.min(made, base.sample + samplesOf(session.played_ms() - base.played_ms));
    const remaining_ms = () => msOf(made - position());

    const write = (pcm: Int16Array) => {
      first_frame_ms ??= clock.ms();
      session.write(pcm);
    };

    const roomToSpeak = async () => {
      while (!stopping.signal.aborted) {
        const excess_ms = remaining_ms() - ahead_ms;
        if (paused_at === null && excess_ms <= 0) return;
        if (paused_at !== null) await changed.promise;
        else await Promise.race([changed.promise, new Promise<void>((go) => clock.after(excess_ms, go))]);
      }
    };

    const speakNext = async (text: string) => {
      const clause: Clause = { text, from: made, samples: 0, is_whole: false };
      clauses.push(clause);
      const { voice, language } = deps;
      for await (const pcm of tts.speak({ text, voice, language, signal: stopping.signal })) {
        if (stopping.signal.aborted) return;
        first_sound_ms ??= clock.ms();
        sound.push({ from: made, pcm });
        made += pcm.length;
        clause.samples += pcm.length;
        if (paused_at === null) write(pcm);
      }
      clause.is_whole = true;
      // What has been heard will not be needed again.
      const heard = position() - taken_up_again;
      sound = sound.filter(({ from, pcm }) => from + pcm.length > heard);
    };

    const run = async () => {
      while (!stopping.signal.aborted) {
        const next = waiting.shift();
        if (next !== undefined) {
          await roomToSpeak();
          if (!stopping.signal.aborted) await speakNext(next);
        } else if (!is_finished || paused_at !== null) {
          await changed.promise;
        } else {
          const how = await session.mark();
          if (how === 'played' && paused_at === null && waiting.length === 0) return;
          if (how === 'cleared' && paused_at === null) return;
        }
      }
    };
    const done = run().catch((error) => {
      if (!stopping.signal.aborted) throw error;
    });
    done.catch(() => {});

    const end = () => {
      if (stopping.signal.aborted) return;
      paused_at ??= position();
      stopping.abort(new Error('stopped'));
      change();
    };
    // On a line that is closed nothing more is played: whoever waited for room to speak would wait for ever.
    void session.closed.then(end);

    return {
      /** Settles when all of it has been heard or it was stopped; fails when there is no voice. */
      done,
      say(clause: string): void {
        waiting.push(clause);
        change();
      },
      /** There is no more to say. */
      finish(): void {
        is_finished = true;
        change();
      },
      /** Falls silent at once, and may go on. */
      pause(): void {
        if (paused_at !== null) return;
        paused_at = position();
        session.clear();
      },
      resume(): void {
        if (paused_at === null) return;
        const from = Math.max(0, paused_at - taken_up_again);
        paused_at = null;
        base = { sample: from, played_ms: session.played_ms() };
        for (const piece of sound) {
          if (piece.from + piece.pcm.length > from) write(piece.pcm.slice(Math.max(0, from - piece.from)));
        }
        change();
      },
      stop(): void {
        if (stopping.signal.aborted) return;
        end();
        session.clear();
      },
      /** Of sound that was made but not heard. */
      remaining_ms,
      heard(): { text: string; clauses: number } {
        const at = position();
        let whole = 0;
        const parts = clauses.map(({ text, from, samples, is_whole }) => {
          if (is_whole && at >= from + samples) {
            whole++;
            return text;
          }
          const words = text.split(' ');
          return words
            .slice(0, Math.floor((words.length * Math.max(0, at - from)) / Math.max(1, samples)))
            .join(' ');
        });
        return { text: parts.filter((part) => part !== '').join(' '), clauses: whole };
      },
      first_sound_ms: () => first_sound_ms,
      first_frame_ms: () => first_frame_ms,
    };
  }

  return { begin };
}
