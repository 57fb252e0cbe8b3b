// Speaks one utterance on the line: takes clauses, produces sound ahead of the line, and reports how much was heard.
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';
import { type MediaSession, msOf, samplesOf } from '../../../../../providers/media/media-session.ts';
import { type Tts, TtsFailed } from '../../../../../providers/tts/tts.ts';

export type Player = {
  session: MediaSession;
  tts: Tts;
  clock: MediaClock;
  voice: string | null;
  language: string;
};

/** Everything that is said in one go, from its first clause to its last. */
export type Utterance = {
  /** Resolves when all of it was heard or it was stopped; rejects when speech synthesis fails. */
  done: Promise<void>;
  say(clause: string): void;
  /** Sound instead of words. */
  play(pcm: Int16Array): void;
  /** No more clauses will follow. */
  finish(): void;
  /** Silences the line immediately; `resume` continues. */
  pause(): void;
  resume(): void;
  stop(): void;
  /** Length of the sound that was produced but not heard yet. */
  remaining_ms(): number;
  heard(): { text: string; clauses: number };
  heard_ms(): number;
  /** Whether it was given anything to say. */
  hasWords(): boolean;
  first_sound_ms(): number | null;
  first_frame_ms(): number | null;
};

/** `at` is the position, in samples, where playing was paused or stopped. Nothing leaves `stopped`. */
type Phase = { name: 'playing' } | { name: 'paused'; at: number } | { name: 'stopped'; at: number };

type Clause = { text: string; from: number; samples: number; is_complete: boolean };

type Playback = Player & {
  phase: Phase;
  stopping: AbortController;
  waiting: (string | Int16Array)[];
  is_finished: boolean;
  clauses: Clause[];
  /** Sound that a resume may have to repeat. */
  sound: { from: number; pcm: Int16Array }[];
  /** Samples produced so far. */
  produced: number;
  /** The line's position when we last began to write to it. */
  base: { sample: number; played_ms: number };
  first_sound_ms: number | null;
  first_frame_ms: number | null;
  /** Resolved and replaced at every change that the loop may wait for. */
  changed: PromiseWithResolvers<void>;
};

/** How far ahead of the line sound is produced. More would be wasted when the other party interrupts. */
const ahead_ms = 2000;
/** For the next piece of sound. */
const longest_wait_ms = 30_000;
const piece_samples = samplesOf(500);
/** A resumed utterance repeats the end of the word at which it was paused. */
const repeated_samples = samplesOf(160);

export function startUtterance(player: Player): Utterance {
  const playback: Playback = {
    ...player,
    phase: { name: 'playing' },
    stopping: new AbortController(),
    waiting: [],
    is_finished: false,
    clauses: [],
    sound: [],
    produced: 0,
    base: { sample: 0, played_ms: player.session.played_ms() },
    first_sound_ms: null,
    first_frame_ms: null,
    changed: Promise.withResolvers(),
  };
  const done = playAll(playback).catch((error) => {
    if (playback.phase.name !== 'stopped') throw error;
  });
  done.catch(() => {});
  // A closed line plays nothing, so an utterance that waits for the line would wait forever.
  void player.session.closed.then(() => end(playback));
  return {
    done,
    say(clause) {
      playback.waiting.push(clause);
      notifyChange(playback);
    },
    play(pcm) {
      playback.waiting.push(pcm);
      notifyChange(playback);
    },
    finish() {
      playback.is_finished = true;
      notifyChange(playback);
    },
    pause: () => pause(playback),
    resume: () => resume(playback),
    stop() {
      if (end(playback)) playback.session.clear();
    },
    remaining_ms: () => remainingMs(playback),
    heard: () => heardSoFar(playback),
    heard_ms: () => Math.max(0, msOf(position(playback))),
    hasWords: () => playback.clauses.length > 0 || playback.waiting.length > 0,
    first_sound_ms: () => playback.first_sound_ms,
    first_frame_ms: () => playback.first_frame_ms,
  };
}

function notifyChange(playback: Playback): void {
  playback.changed.resolve();
  playback.changed = Promise.withResolvers();
}

/** How many samples of the utterance were heard. */
function position({ phase, produced, base, session }: Playback): number {
  if (phase.name !== 'playing') return phase.at;
  return Math.min(produced, base.sample + samplesOf(session.played_ms() - base.played_ms));
}

const remainingMs = (playback: Playback): number => msOf(playback.produced - position(playback));

function write(playback: Playback, pcm: Int16Array): void {
  playback.first_frame_ms ??= playback.clock.ms();
  playback.session.write(pcm);
}

async function playAll(playback: Playback): Promise<void> {
  while (playback.phase.name !== 'stopped') {
    const next = playback.waiting.shift();
    if (next !== undefined) {
      await untilNearlyPlayed(playback);
      if (!isStopped(playback)) await playClause(playback, next);
    } else if (!playback.is_finished || playback.phase.name === 'paused') {
      await playback.changed.promise;
    } else {
      const result = await playback.session.mark();
      if (isPlaying(playback) && (result === 'cleared' || playback.waiting.length === 0)) return;
    }
  }
}

// Functions, because the compiler does not see that the phase may change during an `await`.
const isPlaying = ({ phase }: Playback): boolean => phase.name === 'playing';
const isStopped = ({ phase }: Playback): boolean => phase.name === 'stopped';

/** Waits until the line has played so much that more sound is needed. */
async function untilNearlyPlayed(playback: Playback): Promise<void> {
  while (!isStopped(playback)) {
    const excess_ms = remainingMs(playback) - ahead_ms;
    if (!isPlaying(playback)) {
      await playback.changed.promise;
      continue;
    }
    if (excess_ms <= 0) return;
    const played = new Promise<void>((resolve) => playback.clock.after(excess_ms, resolve));
    await Promise.race([playback.changed.promise, played]);
  }
}

async function playClause(playback: Playback, next: string | Int16Array): Promise<void> {
  const { tts, clock, voice, language } = playback;
  const { signal } = playback.stopping;
  const text = typeof next === 'string' ? next : '';
  const sound =
    typeof next === 'string'
      ? inTime(tts.speak({ text, voice, language, signal }), clock)
      : piecesOf(playback, next);
  const clause: Clause = { text, from: playback.produced, samples: 0, is_complete: false };
  playback.clauses.push(clause);
  for await (const pcm of sound) {
    if (signal.aborted) return;
    playback.first_sound_ms ??= clock.ms();
    playback.sound.push({ from: playback.produced, pcm });
    playback.produced += pcm.length;
    clause.samples += pcm.length;
    if (isPlaying(playback)) write(playback, pcm);
  }
  clause.is_complete = true;
  const needed_from = position(playback) - repeated_samples;
  playback.sound = playback.sound.filter(({ from, pcm }) => from + pcm.length > needed_from);
}

/** A voice that says nothing for too long has failed: the line would stay silent, and nobody would know why. */
async function* inTime(sound: AsyncIterable<Int16Array>, clock: MediaClock): AsyncIterable<Int16Array> {
  const pieces = sound[Symbol.asyncIterator]();
  try {
    while (true) {
      const late = Promise.withResolvers<never>();
      const cancel = clock.after(longest_wait_ms, () =>
        late.reject(new TtsFailed(`no sound within ${longest_wait_ms / 1000} s`, { retryable: true })),
      );
      const next = await Promise.race([pieces.next(), late.promise]).finally(cancel);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a voice that hangs would hold the line.
    void endVoice(pieces);
  }
}

async function endVoice(pieces: AsyncIterator<Int16Array>): Promise<void> {
  try {
    await pieces.return?.();
  } catch {
    // Nothing is lost: the clause is over, and an error that cut it was thrown to the player before.
  }
}

/** A long sound is written like speech: not further ahead of the line than needed. */
async function* piecesOf(playback: Playback, pcm: Int16Array): AsyncIterable<Int16Array> {
  for (let at = 0; at < pcm.length; at += piece_samples) {
    await untilNearlyPlayed(playback);
    yield pcm.slice(at, at + piece_samples);
  }
}

function pause(playback: Playback): void {
  if (playback.phase.name !== 'playing') return;
  playback.phase = { name: 'paused', at: position(playback) };
  playback.session.clear();
}

function resume(playback: Playback): void {
  if (playback.phase.name !== 'paused') return;
  const from = Math.max(0, playback.phase.at - repeated_samples);
  playback.phase = { name: 'playing' };
  playback.base = { sample: from, played_ms: playback.session.played_ms() };
  for (const piece of playback.sound) {
    if (piece.from + piece.pcm.length > from)
      write(playback, piece.pcm.slice(Math.max(0, from - piece.from)));
  }
  notifyChange(playback);
}

/** False when it was stopped before. */
function end(playback: Playback): boolean {
  if (playback.phase.name === 'stopped') return false;
  playback.phase = { name: 'stopped', at: position(playback) };
  playback.stopping.abort(new Error('stopped'));
  notifyChange(playback);
  return true;
}

/** The text up to the position that was heard. Within a clause, words count in proportion to its sound. */
function heardSoFar(playback: Playback): { text: string; clauses: number } {
  const at = position(playback);
  let complete = 0;
  const parts = playback.clauses.map(({ text, from, samples, is_complete }) => {
    if (is_complete && at >= from + samples) {
      complete++;
      return text;
    }
    const words = text.split(' ');
    const heard_words = Math.floor((words.length * Math.max(0, at - from)) / Math.max(1, samples));
    return words.slice(0, heard_words).join(' ');
  });
  return { text: parts.filter((part) => part !== '').join(' '), clauses: complete };
}
