// Listens to the other party: takes audio frames and reports turns with their text.
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';
import { msOf } from '../../../../../providers/media/media-session.ts';
import type { Stt, SttSession } from '../../../../../providers/stt/stt.ts';
import type { Vad } from '../../../../../providers/vad/vad.ts';
import { type Endpoint, silenceAfter } from './endpoint.ts';
import { type Hearing, type LostSpeech, type LostSpeechWatch, watchLostSpeech } from './lost-speech.ts';
import { type SpeechProgress, start_ms, turnTaking } from './turn-taking.ts';
import { type WindowJudge, windowJudge } from './window-judge.ts';

/** A turn of the other party. All times are times of the media clock. */
export type HeardTurn = {
  text: string;
  started_ms: number;
  ended_ms: number;
  /** The silence that its text required before the turn counted as over. */
  endpoint_ms: number;
  /** When the turn counted as over. */
  closed_ms: number;
};

export type ListenerCallbacks = {
  /** `sound_ms`: arrival time of the window that was enough to count as speech. */
  speechStarted(sound_ms: number): void;
  speechContinued(speech_ms: number): void;
  /** What is recognized of the turn so far, whenever it changed. Left out: not asked for. */
  partial?(text: string): void;
  /** An empty text means noise. */
  turnEnded(turn: HeardTurn): void;
  /** Speech that becomes no turn. */
  speechLost(speech: LostSpeech): void;
  failed(layer: 'stt' | 'vad', error: Error): void;
  /** Voice activity detection answers so late that the level of the sound decides. */
  vadLate(): void;
};

export type Listener = {
  push(frame: Int16Array): void;
  isSpeaking(): boolean;
  hearing(): Hearing;
  /** From the next turn on. */
  setLanguage(language: string): void;
  /** The turn that the end of the call cut off, or null. No callback follows. */
  finish(): Promise<HeardTurn | null>;
  /** After `finish`: speech that became no turn. */
  lostAtEnd(): LostSpeech | null;
  close(): void;
};

/** Recognition starts after this pause, while it is still open whether the turn is over. */
const recognize_after_ms = 192;
/** Speech begins before it is certain to be speech, so the sound before it is recognized too. */
const lead_in_ms = 320;
const longest_turn_ms = 60_000;
const tolerated_lag_ms = 64;

/**
 * quiet → speaking: enough windows in a row are speech.
 * speaking → recognizing: a pause, or the turn is too long (`is_forced`: it ends whatever follows).
 * recognizing → speaking: the party continues. recognizing → quiet: the turn is over, or recognition failed.
 */
type State = { name: 'quiet' } | { name: 'speaking' } | Recognizing | { name: 'closed' };
type Recognizing = { name: 'recognizing'; text: string | null; is_forced: boolean };

type Listening = {
  state: State;
  clock: MediaClock;
  endpoint: Endpoint;
  callbacks: ListenerCallbacks;
  window_ms: number;
  judge: WindowJudge;
  watch: LostSpeechWatch;
  stt: SttSession;
  taking: ReturnType<typeof turnTaking>;
  silence_ms: number;
  started_ms: number;
  ended_ms: number;
  /** The last windows before speech. */
  lead_in: Int16Array[];
  /** Windows of a pause: the recognizer gets them only when the turn continues. */
  pause: Int16Array[];
  /** The partial text that was reported last. */
  partial: string;
  /** The recognizer that takes over at the next turn. */
  next_stt: SttSession | null;
  lost_at_end: LostSpeech | null;
  cancelCheck(): void;
};

type ListenerDeps = {
  vad: Vad;
  stt: Stt;
  clock: MediaClock;
  language: string;
  endpoint: Endpoint;
  /** How long the words of a turn may take. Null: as long as they need. */
  lost_speech_ms: number | null;
  callbacks: ListenerCallbacks;
};

function newListening(deps: ListenerDeps): Listening {
  const { callbacks, clock } = deps;
  const window_ms = msOf(deps.vad.capabilities.window_samples);
  const listening: Listening = {
    state: { name: 'quiet' },
    clock: deps.clock,
    endpoint: deps.endpoint,
    callbacks,
    window_ms,
    judge: windowJudge({
      vad: deps.vad,
      clock,
      callbacks: {
        judged(window, at_ms, probability) {
          if (listening.state.name !== 'closed')
            handleWindow(listening, window, at_ms, listening.taking.update(probability));
        },
        failed(error) {
          if (listening.state.name !== 'closed') callbacks.failed('vad', error);
        },
        late: callbacks.vadLate,
      },
    }),
    watch: watchLostSpeech({
      clock,
      patience_ms: deps.lost_speech_ms,
      hearing: () => hearingOf(listening),
      lost(speech) {
        // Its recognition is canceled: others wait for the same processor.
        if (listening.state.name === 'recognizing') startNextTurn(listening);
        callbacks.speechLost(speech);
      },
    }),
    stt: deps.stt.open({ language: deps.language }),
    taking: turnTaking(window_ms),
    silence_ms: 0,
    started_ms: 0,
    ended_ms: 0,
    lead_in: [],
    pause: [],
    partial: '',
    next_stt: null,
    lost_at_end: null,
    cancelCheck: () => {},
  };
  return listening;
}

export function openListener(deps: ListenerDeps): Listener {
  const listening = newListening(deps);
  const windows = windowSplitter(deps.vad.capabilities.window_samples);
  return {
    push(frame) {
      for (const window of windows(frame)) listening.judge.push(window);
    },
    isSpeaking: () => ['speaking', 'recognizing'].includes(listening.state.name),
    hearing: () => hearingOf(listening),
    lostAtEnd: () =>
      listening.state.name === 'closed' ? listening.lost_at_end : listening.watch.rest(hearingOf(listening)),
    setLanguage(language) {
      listening.next_stt?.close();
      listening.next_stt = deps.stt.open({ language });
      if (listening.state.name === 'quiet') useNextStt(listening);
    },
    async finish() {
      await listening.judge.idle();
      return cutOffTurn(listening);
    },
    close() {
      listening.state = { name: 'closed' };
      listening.cancelCheck();
      listening.judge.close();
      listening.watch.close();
      listening.stt.close();
      listening.next_stt?.close();
    },
  };
}

/** Not in the middle of a turn: the recognizer has its sound. */
function useNextStt(listening: Listening): void {
  if (!listening.next_stt) return;
  listening.stt.close();
  listening.stt = listening.next_stt;
  listening.next_stt = null;
}

/** Cuts frames into windows of the size that voice activity detection needs. */
function windowSplitter(window_samples: number): (frame: Int16Array) => Int16Array[] {
  let window = new Int16Array(window_samples);
  let filled = 0;
  return (frame) => {
    const complete: Int16Array[] = [];
    for (let used = 0; used < frame.length; ) {
      const part = frame.subarray(used, used + window_samples - filled);
      window.set(part, filled);
      filled += part.length;
      used += part.length;
      if (filled < window_samples) continue;
      complete.push(window);
      window = new Int16Array(window_samples);
      filled = 0;
    }
    return complete;
  };
}

const doing = {
  quiet: 'nothing',
  speaking: 'hearing',
  recognizing: 'recognizing',
  closed: 'nothing',
} as const;

const hearingOf = ({ state, started_ms, ended_ms }: Listening): Hearing => ({
  doing: doing[state.name],
  started_ms,
  ended_ms,
});

function handleWindow(
  listening: Listening,
  window: Int16Array,
  at_ms: number,
  progress: SpeechProgress,
): void {
  const { stt, callbacks } = listening;
  listening.silence_ms = progress.silence_ms;
  if (!progress.is_speaking) {
    listening.lead_in.push(window);
    if (listening.lead_in.length > lead_in_ms / listening.window_ms) listening.lead_in.shift();
    return;
  }
  if (progress.silence_ms === 0) listening.ended_ms = at_ms;
  if (progress.started) {
    listening.state = { name: 'speaking' };
    listening.started_ms = at_ms - start_ms;
    for (const earlier of listening.lead_in.splice(0)) stt.push(earlier);
    listening.watch.heard(listening.started_ms);
    callbacks.speechStarted(at_ms);
  }
  if (progress.resumed) {
    listening.state = { name: 'speaking' };
    listening.cancelCheck();
    for (const pause of listening.pause.splice(0)) stt.push(pause);
  }
  if (listening.state.name === 'recognizing') {
    listening.pause.push(window);
    endTurnIfOver(listening);
    return;
  }
  stt.push(window);
  reportPartial(listening);
  callbacks.speechContinued(progress.speech_ms);
  const is_too_long = progress.speech_ms > longest_turn_ms;
  if (progress.silence_ms >= recognize_after_ms || is_too_long) recognize(listening, is_too_long);
}

function reportPartial(listening: Listening): void {
  const { stt, callbacks } = listening;
  if (!callbacks.partial) return;
  const text = stt.interim?.() ?? '';
  if (text === '' || text === listening.partial) return;
  listening.partial = text;
  callbacks.partial(text);
}

function recognize(listening: Listening, is_forced: boolean): void {
  const recognizing: Recognizing = { name: 'recognizing', text: null, is_forced };
  listening.state = recognizing;
  listening.stt.text().then(
    (text) => {
      recognizing.text = text;
      if (listening.state === recognizing) endTurnIfOver(listening);
    },
    (error: Error) => {
      if (listening.state !== recognizing) return;
      startNextTurn(listening);
      listening.watch.understood();
      listening.callbacks.failed('stt', error);
    },
  );
}

function endTurnIfOver(listening: Listening): void {
  const { state, clock, started_ms, ended_ms } = listening;
  listening.cancelCheck();
  if (state.name !== 'recognizing' || state.text === null) return;
  const { text, is_forced } = state;
  const endpoint_ms = text === '' ? recognize_after_ms : silenceAfter(text, listening.endpoint);
  const early_ms = is_forced ? 0 : ended_ms + endpoint_ms - clock.ms();
  if (early_ms > 0) {
    listening.cancelCheck = clock.after(early_ms, () => endTurnIfOver(listening));
    return;
  }
  // Voice activity detection may be late: windows that are not judged yet may contain speech.
  if (!is_forced && listening.silence_ms < endpoint_ms - tolerated_lag_ms) return;
  const turn = { text, started_ms, ended_ms, endpoint_ms, closed_ms: clock.ms() };
  startNextTurn(listening);
  if (text !== '') listening.watch.understood();
  listening.callbacks.turnEnded(turn);
  if (text === '') listening.watch.noWords(ended_ms - started_ms);
}

function startNextTurn(listening: Listening): void {
  listening.state = { name: 'quiet' };
  listening.cancelCheck();
  listening.stt.nextTurn();
  useNextStt(listening);
  listening.partial = '';
  listening.taking.reset();
  listening.silence_ms = 0;
  listening.pause = [];
  listening.lead_in = [];
}

async function cutOffTurn(listening: Listening): Promise<HeardTurn | null> {
  const is_cut_off = listening.state.name === 'speaking' || listening.state.name === 'recognizing';
  // Until its words are there.
  listening.lost_at_end = listening.watch.rest(hearingOf(listening));
  listening.state = { name: 'closed' };
  listening.cancelCheck();
  listening.watch.close();
  if (!is_cut_off) return null;
  const { started_ms, ended_ms, clock } = listening;
  const text = await listening.stt.text().catch(() => '');
  if (text !== '') listening.lost_at_end = null;
  return text === '' ? null : { text, started_ms, ended_ms, endpoint_ms: 0, closed_ms: clock.ms() };
}
