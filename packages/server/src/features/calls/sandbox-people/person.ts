// Plays one of the sandbox's people on a line, with the same speech engines as the agent.
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import { frame_ms, type MediaSession, samplesOf } from '../../../providers/media/media-session.ts';
import type { Stt } from '../../../providers/stt/stt.ts';
import type { Tts } from '../../../providers/tts/tts.ts';
import type { Vad } from '../../../providers/vad/vad.ts';
import { startUtterance } from '../conversation/player.ts';
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
};
/** The other party speaks first. */
const waits_for_greeting: Timeouts = { ...human_timeouts, opening_ms: { outbound: 20_000, inbound: 20_000 } };
const longest_call_ms = 15 * 60_000;
const turn_pause_ms = 900;
const beep = { hz: 1000, ms: 500, level: 9000 };

/** Resolves when the call is over, no matter which side ended it. */
export async function playPerson(
  deps: PersonDeps,
  session: MediaSession,
  steps: readonly Step[],
): Promise<void> {
  const { clock } = deps;
  const engines = {
    ...deps,
    ...computingEngines(deps, (is_computing) => session.reportComputing?.(is_computing)),
  };
  let is_over = false;
  const over = session.closed.then(() => {
    is_over = true;
  });
  const until = (done: Promise<unknown>) => Promise.race([over, done]);

  for (const step of steps) {
    if (is_over) return;
    switch (step.do) {
      case 'say': {
        const utterance = startUtterance({ ...engines, session, language: 'en' });
        utterance.say(step.text);
        utterance.finish();
        await until(utterance.done);
        break;
      }
      case 'wait':
        await until(new Promise<void>((resolve) => clock.after(step.ms, resolve)));
        break;
      case 'wait_for_speech':
        await until(loudness(session, ({ speech_ms }) => speech_ms >= step.ms));
        break;
      case 'wait_for_turn':
        await until(
          loudness(session, ({ speech_ms, silence_ms }) => speech_ms >= 500 && silence_ms >= turn_pause_ms),
        );
        break;
      case 'beep':
        session.write(
          Int16Array.from({ length: samplesOf(beep.ms) }, (_, i) =>
            Math.round(beep.level * Math.sin((2 * Math.PI * beep.hz * i) / samplesOf(1000))),
          ),
        );
        await session.mark();
        break;
      case 'press':
        await session.sendDigits(step.digits);
        break;
      case 'converse':
        await speakOnCall(
          {
            ...engines,
            llm: personLlm(),
            emit: () => {},
            timeouts: step.greeting === null ? waits_for_greeting : human_timeouts,
          },
          session,
          {
            direction: 'inbound',
            system_prompt: '',
            first_message: step.greeting,
            language: 'en',
            voice: deps.voice,
            model: null,
            ai_disclosure: false,
            max_duration_ms: longest_call_ms,
          },
          new AbortController().signal,
        );
        break;
      case 'hang_up':
        session.close();
        break;
    }
  }
  await over;
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
