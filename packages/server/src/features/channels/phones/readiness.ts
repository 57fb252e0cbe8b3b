// What /readyz checks about phones: the carrier, the sockets of a trunk, the speech engines, and capacity for calls.
import { type Config, callsAtOnce } from '../../../config/config.ts';
import { cachedCheck, type Readiness } from '../../../platform/readiness.ts';
import type { GuardedCarrier, GuardedCarriers } from '../../rules/admission/index.ts';
import type { Speech } from '../calls/index.ts';

/** The carrier of new numbers and texts. */
export const carrierReadiness = (active: GuardedCarrier | null): Readiness => ({
  name: 'carrier',
  only_for: ['calls'],
  check: cachedCheck(async () => {
    if (!active) return 'not_configured';
    const problem = await problemOf(active);
    if (problem !== null) throw new Error(problem);
  }),
});

/** The sockets of a trunk, in the process that runs calls. */
export const listenerReadiness = (carriers: GuardedCarriers): Readiness[] =>
  carriers.all().flatMap(({ name, listener }) =>
    listener
      ? {
          name,
          async check() {
            const problem = listener.problem();
            if (problem !== null) throw new Error(problem);
          },
        }
      : [],
  );

async function problemOf({ name, check }: GuardedCarrier): Promise<string | null> {
  const state = check ? await check() : null;
  return state === null || state.outcome === 'done' ? null : `${name}: ${state.detail}`;
}

/** The speech engines, with a record of their last failure to load. They load at the first call, not for a probe. */
export function watchedSpeech(speech: Speech): { speech: Speech; problem(): string | null } {
  const failures = new Map<string, string>();
  const watched = <Engine extends { ready(): Promise<void> }>(layer: string, engine: Engine): Engine => ({
    ...engine,
    ready: () =>
      engine.ready().then(
        () => void failures.delete(layer),
        (error: Error) => {
          failures.set(layer, `${layer} cannot be loaded: ${error.message}`);
          throw error;
        },
      ),
  });
  return {
    speech: {
      ...speech,
      vad: watched('vad', speech.vad),
      stt: watched('stt', speech.stt),
      tts: watched('tts', speech.tts),
    },
    problem: () => failures.values().next().value ?? null,
  };
}

/** Whether this process can take another call. The speech engines matter only where calls run. */
export function callReadiness(
  config: Config,
  deps: { enginesProblem(): string | null; runningCount(): number; isBehind(): boolean },
): Readiness[] {
  const at_once = callsAtOnce(config);
  const engines: Readiness = {
    name: 'engines',
    only_for: ['calls'],
    async check() {
      const problem = deps.enginesProblem() ?? (deps.isBehind() ? 'recognition is behind the speech' : null);
      if (problem !== null) throw new Error(problem);
    },
  };
  const capacity: Readiness = {
    name: 'capacity',
    only_for: ['calls'],
    is_hidden: true,
    async check() {
      if (at_once === 0) throw new Error('this process runs no calls');
      const running = deps.runningCount();
      if (running >= at_once) throw new Error(`${running} of ${at_once} calls are running`);
    },
  };
  return at_once > 0 ? [engines, capacity] : [capacity];
}
