// Plays one of the sandbox's people on a line, with the same speech engines as the agent.
import type { MediaClock } from '../../../../providers/media/media-clock.ts';
import { frame_ms, type MediaSession, samplesOf } from '../../../../providers/media/media-session.ts';
import type { Stt } from '../../../../providers/stt/stt.ts';
import type { Tts } from '../../../../providers/tts/tts.ts';
import type { Vad } from '../../../../providers/vad/vad.ts';
import { startUtterance } from '../conversation/speak/player.ts';
import { default_timeouts, type Timeouts } from '../conversation/timeouts.ts';
import { speakOnCall } from '../conversation/voice-agent.ts';
import { computingEngines } from './computing-engines.ts';
import type { Step } from './people.ts';
import { personLlm } from './person-model.ts';

export type PersonDeps = {
  vad: Vad;
  stt: Stt;
  tts: Tts;
  clock: MediaClock;
  /** Not the agent's voice, so that a recording lets one tell them apart. */
  voice: string;
};

/** People wait longer than an agent before they take a turn. */
const human_timeouts: Timeouts = {
  ...default_timeouts,
  endpoint: { complete_ms: 700, usual_ms: 800, open_ms: 1200 },
  silence_ms: 20_000,
  // A simulated person waits for a slow machine.
  lost_speech_ms: null,
};
/** The other party speaks first. */
const waits_for_greeting: Timeouts = { ...human_timeouts, opening_ms: { outbound: 20_000, inbound: 20_000 } };
const longest_call_ms = 15 * 60_000;
const turn_pause_ms = 900;
const menu_pause_ms = 6000;
const beep = { hz: 1000, ms: 500, level: 9000 };

/** A person on a line. `until` also ends with the call. */
type Playing = {
  engines: PersonDeps;
  session: MediaSession;
  isOver(): boolean;
  until(done: Promise<unknown>): Promise<unknown>;
};

/** Resolves when the call is over, no matter which side ended it. */
export async function playPerson(
  deps: PersonDeps,
  session: MediaSession,
  steps: readonly Step[],
): Promise<void> {
  const engines = {
    ...deps,
    ...computingEngines(deps, (is_computing) => session.reportComputing?.(is_computing)),
  };
  let is_over = false;
  const over = session.closed.then(() => {
    is_over = true;
  });
  const until = (done: Promise<unknown>) => Promise.race([over, done]);
  await playSteps({ engines, session, isOver: () => is_over, until }, steps);
  await over;
}

async function playSteps(playing: Playing, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (playing.isOver()) return;
    await playStep(playing, step);
  }
}

async function playStep(playing: Playing, step: Step): Promise<void> {
  const { engines, session, until } = playing;
  switch (step.do) {
    case 'say':
      return say(playing, step.text);
    case 'wait':
      await until(new Promise<void>((resolve) => engines.clock.after(step.ms, resolve)));
      return;
    case 'wait_for_speech':
      await until(loudness(session, ({ speech_ms }) => speech_ms >= step.ms));
      return;
    case 'wait_for_turn':
      await until(
        loudness(session, ({ speech_ms, silence_ms }) => speech_ms >= 500 && silence_ms >= turn_pause_ms),
      );
      return;
    case 'beep':
      session.write(
        tone(beep.ms, (n) => beep.level * Math.sin((2 * Math.PI * beep.hz * n) / samplesOf(1000))),
      );
      await session.mark();
      return;
    case 'music':
      session.write(tone(step.ms, music));
      await until(session.mark());
      return;
    case 'menu':
      return playMenu(playing, step);
    case 'press':
      return session.sendDigits(step.digits);
    case 'converse':
      return converse(playing, step.greeting);
    case 'hang_up':
      session.close();
  }
}

async function say({ engines, session, until }: Playing, text: string): Promise<void> {
  const utterance = startUtterance({ ...engines, session, language: 'en' });
  utterance.say(text);
  utterance.finish();
  await until(utterance.done);
}

/** Repeats the menu until a key of it is pressed, and after a choice whose steps are over. */
async function playMenu(playing: Playing, { text, choices }: Extract<Step, { do: 'menu' }>): Promise<void> {
  const { session, engines, until, isOver } = playing;
  let pressed = Promise.withResolvers<string | null>();
  session.onDigit((digit) => pressed.resolve(digit));
  while (!isOver()) {
    await Promise.race([say(playing, text), pressed.promise]);
    const cancel = engines.clock.after(menu_pause_ms, () => pressed.resolve(null));
    await until(pressed.promise);
    cancel();
    const digit = isOver() ? null : await pressed.promise;
    pressed = Promise.withResolvers();
    session.clear();
    await playSteps(playing, (digit !== null && choices[digit]) || []);
  }
}

async function converse({ engines, session }: Playing, greeting: string | null): Promise<void> {
  await speakOnCall(
    {
      ...engines,
      llm: personLlm(),
      emit: () => {},
      timeouts: greeting === null ? waits_for_greeting : human_timeouts,
    },
    session,
    {
      direction: 'inbound',
      system_prompt: '',
      first_message: greeting,
      language: 'en',
      voice: engines.voice,
      model: null,
      ai_disclosure: false,
      max_duration_ms: longest_call_ms,
    },
    new AbortController().signal,
  );
}

const tone = (ms: number, sample: (n: number) => number): Int16Array =>
  Int16Array.from({ length: samplesOf(ms) }, (_, n) => Math.round(sample(n)));

/** A slow melody with overtones: neither speech nor the pure tone of a beep. */
function music(n: number): number {
  const notes = [262, 330, 392, 330];
  const hz = notes[Math.floor(n / samplesOf(400)) % notes.length]!;
  const at = (2 * Math.PI * hz * n) / samplesOf(1000);
  return 1500 * Math.sin(at) + 900 * Math.sin(2.5 * at) + 600 * Math.sin(4.1 * at);
}

/** Resolves when enough speech or silence was heard. Uses loudness only, because the text does not matter here. */
function loudness(
  session: MediaSession,
  enough: (heard: { speech_ms: number; silence_ms: number }) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    let [speech_ms, silence_ms] = [0, 0];
    session.onFrame((frame) => {
      const is_loud = frame.some((sample) => Math.abs(sample) > 500);
      silence_ms = is_loud ? 0 : silence_ms + frame_ms;
      if (is_loud) speech_ms += frame_ms;
      if (enough({ speech_ms, silence_ms })) resolve();
    });
  });
}
