// Listens to the other party: frames in, turns with their text out.
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import { msOf } from '../../../providers/media/media-session.ts';
import type { Stt } from '../../../providers/stt/stt.ts';
import type { Vad } from '../../../providers/vad/vad.ts';
import { type Endpoint, silenceAfter } from './endpoint.ts';
import { begin_ms, turnTaking } from './turn-taking.ts';

export type Heard = {
  text: string;
  /** By the clock. */
  started_ms: number;
  ended_ms: number;
  /** The silence that its words asked for. */
  endpoint_ms: number;
  taken_ms: number;
};

export type EarListener = {
  /** Somebody speaks; `sound_ms` is when the sound that settled it came in. */
  began(sound_ms: number): void;
  goesOn(speech_ms: number): void;
  /** A turn is over. An empty text is a noise. */
  heard(turn: Heard): void;
  failed(layer: 'stt' | 'vad', error: Error): void;
};

/** From the pause on, the text is being found while we still wait whether the turn is over. */
const speculate_ms = 192;
/** Speech sets in before it is certain to be speech. */
const kept_before_ms = 320;
const longest_turn_ms = 60_000;
const tolerated_failures = 20;
const tolerated_lag_ms = 64;

/** A turn without end is taken by force. */
type Guess = { text: string | null; is_forced: boolean };

export function openEar(deps: {
  vad: Vad;
  stt: Stt;
  clock: MediaClock;
  language: string;
  endpoint: Endpoint;
  listener: EarListener;
}) {
  const { clock, listener } = deps;
  const { window_samples } = deps.vad.capabilities;
  const window_ms = msOf(window_samples);
  const vad = deps.vad.open();
  const stt = deps.stt.open({ language: deps.language });
  const taking = turnTaking(window_ms);

  let window = new Int16Array(window_samples);
  let filled = 0;
  let judging: Promise<void> = Promise.resolve();
  let is_closed = false;
  let vad_failures = 0;

  let is_speaking = false;
  let silence_ms = 0;
  let started_ms = 0;
  let ended_ms = 0;
  let before: Int16Array[] = [];
  /** Silence that the recogniser need not hear unless the turn goes on. */
  let held: Int16Array[] = [];
  let guess: Guess | null = null;
  let cancelTaking = () => {};

  const startGuess = (is_forced: boolean) => {
    const own: Guess = { text: null, is_forced };
    guess = own;
    stt.text().then(
      (text) => {
        own.text = text;
        if (guess === own && !is_closed) takeIfOver();
      },
      (error: Error) => {
        if (guess !== own || is_closed) return;
        reset();
        listener.failed('stt', error);
      },
    );
  };

  const takeIfOver = () => {
    cancelTaking();
    if (guess?.text == null) return;
    const { text, is_forced } = guess;
    const endpoint_ms = text === '' ? speculate_ms : silenceAfter(text, deps.endpoint);
    const early_ms = is_forced ? 0 : ended_ms + endpoint_ms - clock.ms();
    if (early_ms > 0) {
      cancelTaking = clock.after(early_ms, takeIfOver);
      return;
    }
    // While judgements are late, more may have been said than we know.
    if (!is_forced && silence_ms < endpoint_ms - tolerated_lag_ms) return;
    const turn = { text, started_ms, ended_ms, endpoint_ms, taken_ms: clock.ms() };
    reset();
    listener.heard(turn);
  };

  const reset = () => {
    cancelTaking();
    stt.nextTurn();
    taking.reset();
    is_speaking = false;
    silence_ms = 0;
    guess = null;
    held = [];
    before = [];
  };

  const handleEvents = (pcm: Int16Array, at_ms: number, probability: number) => {
    const turn = taking.handleEvents(probability);
    silence_ms = turn.silence_ms;
    if (!turn.is_speaking) {
      before.push(pcm);
      if (before.length > kept_before_ms / window_ms) before.shift();
      return;
    }
    if (turn.silence_ms === 0) ended_ms = at_ms;
    if (turn.began) {
      is_speaking = true;
      started_ms = at_ms - begin_ms;
      for (const earlier of before.splice(0)) stt.push(earlier);
      listener.began(at_ms);
    }
    if (turn.resumed) {
      guess = null;
      cancelTaking();
      for (const pause of held.splice(0)) stt.push(pause);
    }
    if (guess) {
      held.push(pcm);
      return takeIfOver();
    }
    stt.push(pcm);
    listener.goesOn(turn.speech_ms);
    const is_endless = turn.speech_ms > longest_turn_ms;
    if (turn.silence_ms >= speculate_ms || is_endless) startGuess(is_endless);
  };

  const judge = async (pcm: Int16Array, at_ms: number) => {
    let probability = 0;
    try {
      probability = await vad.judge(pcm);
      vad_failures = 0;
    } catch (error) {
      vad_failures++;
      if (vad_failures === tolerated_failures && !is_closed) listener.failed('vad', error as Error);
    }
    if (!is_closed) handleEvents(pcm, at_ms, probability);
  };

  return {
    push(frame: Int16Array): void {
      const at_ms = clock.ms();
      for (let taken = 0; taken < frame.length; ) {
        const part = frame.subarray(taken, taken + window_samples - filled);
        window.set(part, filled);
        filled += part.length;
        taken += part.length;
        if (filled < window_samples) continue;
        const whole = window;
        window = new Int16Array(window_samples);
        filled = 0;
        judging = judging.then(() => judge(whole, at_ms));
      }
    },
    isSpeaking: () => is_speaking,
    /** Of a turn that the end of the call cuts off. */
    async lastWords(): Promise<Heard | null> {
      await judging;
      if (!is_speaking) return null;
      const text = await stt.text().catch(() => '');
      const endpoint_ms = 0;
      return text === '' ? null : { text, started_ms, ended_ms, endpoint_ms, taken_ms: clock.ms() };
    },
    close(): void {
      is_closed = true;
      cancelTaking();
      vad.close();
      stt.close();
    },
  };
}
