// What a relay wants to be said: collects its tokens into talk cycles and hands them to the agent's turns, in order.
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';
import {
  type FromRelay,
  type Interruption,
  RelayFailed,
  type RelayLink,
} from '../../../../../providers/relay/relay.ts';

export type RelaySettings = {
  dtmf: boolean;
  /** The relay also gets what is recognized while the person still speaks. */
  partial_prompts: boolean;
  interruptible: Interruption;
  /** The organization's model takes over when the relay fails. */
  fallback: boolean;
  /** The destination to which the call is transferred when the relay ends it with data. */
  end_transfer: string | null;
};

/** A piece of a cycle: text to speak, or sound that is still loading. */
export type CyclePiece = string | Promise<Int16Array | null>;

/** From the first token to the one marked as last. */
export type TalkCycle = {
  pieces: CyclePiece[];
  chars: number;
  is_complete: boolean;
  interruptible: Interruption;
  preemptible: boolean;
  language: string | null;
  /** Resolved and replaced at every change. */
  changed: PromiseWithResolvers<void>;
};

export type RelayTalk = {
  readonly link: RelayLink;
  readonly settings: RelaySettings;
  readonly clock: MediaClock;
  /** In which the person is understood. */
  language: string;
  /** Received and not spoken yet. */
  cycles: TalkCycle[];
  /** The cycle that tokens are added to. `dropping`: it was interrupted, and its later tokens are ignored. */
  receiving: TalkCycle | 'dropping' | null;
  speaking: TalkCycle | null;
  /** A turn waits for the next cycle. */
  waiting: PromiseWithResolvers<TalkCycle> | null;
  /** The relay has ended the conversation; what it said before is still spoken. */
  end: { handoff: string | null } | null;
  failure: RelayFailed | null;
  cancelDeadline(): void;
  stopped: AbortController;
  /** A cycle began and no turn waits for it. */
  onCycle(): void;
  /** The frame that ends the conversation came; what the relay said before may still be spoken. */
  onEndFrame(handoff: string | null): void;
  onEnd(): void;
  onFailure(error: RelayFailed): void;
  onDigits(digits: string): void;
  onLanguage(frame: Extract<FromRelay, { type: 'language' }>): void;
};

const answer_timeout_ms = 10_000;
const max_cycle_chars = 4_000;
const max_waiting_cycles = 20;
/** A sound may have 5 MiB. */
const max_waiting_sounds = 10;

export function openTalk(
  link: RelayLink,
  settings: RelaySettings,
  { clock, language }: Pick<RelayTalk, 'clock' | 'language'>,
): RelayTalk {
  const talk: RelayTalk = {
    link,
    settings,
    clock,
    language,
    cycles: [],
    receiving: null,
    speaking: null,
    waiting: null,
    end: null,
    failure: null,
    cancelDeadline: () => {},
    stopped: new AbortController(),
    onCycle() {},
    onEndFrame() {},
    onEnd() {},
    onFailure() {},
    onDigits() {},
    onLanguage() {},
  };
  return talk;
}

/** After the callbacks are set. */
export function startTalk(talk: RelayTalk): void {
  talk.link.onFrame((frame) => {
    talk.cancelDeadline();
    receive(talk, frame);
  });
  void talk.link.closed.then(({ detail }) => failTalk(talk, detail));
}

export const isTalking = (talk: RelayTalk | null | undefined): talk is RelayTalk =>
  talk !== null && talk !== undefined && talk.failure === null && !talk.stopped.signal.aborted;

/** Our side ended the conversation. */
export function stopTalk(talk: RelayTalk): void {
  talk.stopped.abort();
  talk.cancelDeadline();
  talk.link.close();
}

export function failTalk(talk: RelayTalk, detail: string): void {
  if (!isTalking(talk) || talk.end) return;
  talk.failure = new RelayFailed(detail);
  talk.cancelDeadline();
  talk.receiving = null;
  const { waiting, speaking } = talk;
  talk.waiting = null;
  if (speaking) completeCycle(speaking);
  talk.link.close();
  if (waiting) waiting.reject(talk.failure);
  else talk.onFailure(talk.failure);
}

/** What the person said. The relay must answer something, or it counts as failed. */
export function sendPrompt(talk: RelayTalk, voicePrompt: string): void {
  talk.link.send({ type: 'prompt', voicePrompt, lang: talk.language, last: true });
  // A server often drops the rest of a reply that was interrupted, without marking its end.
  if (talk.receiving === 'dropping') talk.receiving = null;
  talk.cancelDeadline();
  talk.cancelDeadline = talk.clock.after(answer_timeout_ms, () =>
    failTalk(talk, `no answer within ${answer_timeout_ms / 1000} s`),
  );
}

/** What the person has said so far. The relay need not answer. */
export function sendPartialPrompt(talk: RelayTalk, voicePrompt: string): void {
  if (talk.end) return;
  talk.link.send({ type: 'prompt', voicePrompt, lang: talk.language, last: false });
}

/** The next cycle, as soon as it begins. The caller speaks it, and clears `speaking` then. */
export async function nextCycle(talk: RelayTalk, stopping: AbortSignal): Promise<TalkCycle | null> {
  if (talk.failure) throw talk.failure;
  const ready = talk.cycles.shift();
  if (ready) {
    talk.speaking = ready;
    return ready;
  }
  const waiting = Promise.withResolvers<TalkCycle>();
  talk.waiting = waiting;
  const { promise: stopped, resolve } = Promise.withResolvers<null>();
  stopping.addEventListener('abort', () => resolve(null), { once: true });
  try {
    return await Promise.race([waiting.promise, stopped]);
  } finally {
    if (talk.waiting === waiting) talk.waiting = null;
    waiting.promise.catch(() => {});
  }
}

/** The person or another command stopped it: later tokens of the cycle are ignored. */
export function interruptCycle(talk: RelayTalk, cycle: TalkCycle, heard: { text: string; ms: number }): void {
  if (talk.receiving === cycle) talk.receiving = 'dropping';
  completeCycle(cycle);
  talk.link.send({
    type: 'interrupt',
    utteranceUntilInterrupt: heard.text,
    durationUntilInterruptMs: Math.max(0, Math.round(heard.ms)),
  });
}

function receive(talk: RelayTalk, frame: FromRelay): void {
  if (talk.end || talk.failure) return;
  if (frame.type === 'text') addText(talk, frame);
  else if (frame.type === 'play') addSound(talk, frame);
  else if (frame.type === 'sendDigits') talk.onDigits(frame.digits);
  else if (frame.type === 'language') talk.onLanguage(frame);
  else endTalk(talk, frame.handoffData);
}

/** What was said before is spoken to its end first. */
function endTalk(talk: RelayTalk, handoff: string | null): void {
  talk.end = { handoff };
  talk.onEndFrame(handoff);
  talk.cancelDeadline();
  if (talk.receiving && talk.receiving !== 'dropping') completeCycle(talk.receiving);
  talk.receiving = null;
  if (talk.cycles.length === 0 && !talk.speaking) talk.onEnd();
}

function addText(talk: RelayTalk, frame: Extract<FromRelay, { type: 'text' }>): void {
  if (talk.receiving !== 'dropping' && (frame.token !== '' || talk.receiving)) {
    const cycle = openCycle(talk, frame, frame.lang);
    if (cycle) {
      const token = frame.token.slice(0, max_cycle_chars - cycle.chars);
      cycle.chars += token.length;
      if (token !== '') cycle.pieces.push(token);
      changed(cycle);
      if (frame.last) completeCycle(cycle);
    }
  }
  if (frame.last) talk.receiving = null;
}

/** A sound is a cycle of its own, unless tokens of a cycle came before it. */
function addSound(talk: RelayTalk, frame: Extract<FromRelay, { type: 'play' }>): void {
  const is_own = talk.receiving === null;
  if (talk.receiving === 'dropping') return;
  if (waitingSounds(talk) >= max_waiting_sounds) {
    talk.link.send({ type: 'error', description: `play: at most ${max_waiting_sounds} sounds may wait.` });
    return;
  }
  const cycle = openCycle(talk, frame, null);
  if (!cycle) return;
  const sound = talk.link.loadSound(frame.source, talk.stopped.signal).catch((error: Error) => {
    talk.link.send({ type: 'error', description: `play: ${error.message}` });
    return null;
  });
  for (let times = 0; times < frame.loop; times++) cycle.pieces.push(sound);
  changed(cycle);
  if (!is_own) return;
  completeCycle(cycle);
  talk.receiving = null;
}

/** A sound that is repeated counts once. */
const waitingSounds = ({ cycles, speaking }: RelayTalk): number =>
  new Set(
    [...cycles, ...(speaking ? [speaking] : [])].flatMap(({ pieces }) =>
      pieces.filter((piece) => typeof piece !== 'string'),
    ),
  ).size;

function openCycle(
  talk: RelayTalk,
  { interruptible, preemptible }: { interruptible: Interruption | null; preemptible: boolean },
  language: string | null,
): TalkCycle | null {
  const { receiving } = talk;
  if (receiving && receiving !== 'dropping') return receiving;
  if (talk.cycles.length >= max_waiting_cycles) {
    talk.link.send({ type: 'error', description: `At most ${max_waiting_cycles} replies may wait.` });
    return null;
  }
  const cycle: TalkCycle = {
    pieces: [],
    chars: 0,
    is_complete: false,
    interruptible: interruptible ?? talk.settings.interruptible,
    preemptible,
    language,
    changed: Promise.withResolvers(),
  };
  talk.receiving = cycle;
  if (talk.waiting) {
    talk.speaking = cycle;
    talk.waiting.resolve(cycle);
    talk.waiting = null;
  } else {
    talk.cycles.push(cycle);
    talk.onCycle();
  }
  return cycle;
}

function completeCycle(cycle: TalkCycle): void {
  cycle.is_complete = true;
  changed(cycle);
}

function changed(cycle: TalkCycle): void {
  cycle.changed.resolve();
  cycle.changed = Promise.withResolvers();
}
