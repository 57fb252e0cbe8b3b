// Builds the parts that move a call from the queue to its end: dispatcher, runner, carrier events, inbound calls, sweeper.
import type { CallDeps } from '../call-deps.ts';
import type { CommandRunner } from '../commands/command-runner.ts';
import { callEngines } from '../conversation/engines.ts';
import type { LlmKeys } from '../llm-keys.ts';
import type { TimelineStore } from '../timeline-store.ts';
import { writeTurn } from '../transcript.ts';
import { transferStore } from '../transfer/store.ts';
import { transferPort } from '../transfer/transfers.ts';
import type { WaitingCallStore } from '../waiting/store.ts';
import { callEvents } from './carrier-events.ts';
import { callDispatcher } from './dispatcher.ts';
import { callIntake } from './intake.ts';
import { callMeter } from './progress/metering.ts';
import { callProgress } from './progress/progress.ts';
import type { CallRef, ProgressStore } from './progress/progress-store.ts';
import { callSweeper } from './queue/sweeper.ts';
import { callRunner } from './runner.ts';

export function callDispatch(
  feature: CallDeps & {
    store: ProgressStore;
    timeline: TimelineStore;
    llm_keys: LlmKeys;
    waiting_store: WaitingCallStore;
    commands: Pick<CommandRunner, 'open'>;
    /** Called after a call has ended. */
    onEnd(call: CallRef): void;
  },
) {
  const { carriers, speech, admission, llm_keys } = feature;
  const deps = {
    ...feature,
    pool: feature.numbers.pool,
    media_clock: speech.clock,
    writeTurn: writeTurn(feature),
  };
  const transfers = transferStore(deps.move, deps.clock.now);
  const progress = callProgress({
    ...deps,
    transfers,
    ended(call) {
      feature.onEnd(call);
      // A pool number may have become free.
      dispatcher.wake();
    },
  });
  const events = callEvents({
    ...deps,
    progress,
    offered: (provider, offer) => intake(provider, offer),
    reportEnd: (call_id, ending) => dispatcher.reportEnd(call_id, ending),
    hangUp(provider, provider_call_id) {
      const voice = carriers.byName(provider)?.voice;
      voice?.hangUp(provider_call_id).catch(() => {});
    },
  });
  const engines = callEngines({
    ...deps,
    own: deps.own_engines,
    mayBeOffline: admission.mayBeOffline,
    openLlmKey: llm_keys.open,
  });
  const shared = {
    ...deps,
    progress,
    meter: callMeter(deps),
    eventsWritten: events.written,
    reportedEnd: (call_id: string) => dispatcher.reportedEnd(call_id),
  };
  const run = callRunner({
    ...shared,
    engines,
    transferPort: (call) => transferPort({ ...shared, transfers, dispatcher }, call),
  });
  const dispatcher = callDispatcher({ ...deps, progress, run, isBehind: () => speech.stt.isBehind() });
  const intake = callIntake({ ...deps, progress, dispatcher });
  const sweeper = callSweeper({ ...deps, progress, committed: dispatcher.wake });
  return { progress, dispatcher, sweeper, reporter: engines.reporter, handleEvents: events.handleEvents };
}
