// Calls: queued, run by a process to their end, with transcript and timeline; and the people of the sandbox.
import type { SealedColumn } from '../../platform/db/rewrap.ts';
import { waiters } from '../../platform/http/waiters.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import type { CallDeps } from './call-deps.ts';
import { callDispatch } from './dispatch/call-dispatch.ts';
import { reservationSweeper, reservedFunds } from './dispatch/metering.ts';
import { progressStore } from './dispatch/progress-store.ts';
import { callReleaser, heldCalls } from './held/held-calls.ts';
import { heldCallStore } from './held/store.ts';
import { llmKeys } from './llm-keys.ts';
import { callRoutes } from './routes.ts';
import { phoneEvents } from './sandbox-people/phone-events.ts';
import { sandboxPhoneRoutes } from './sandbox-people/routes.ts';
import { callService } from './service.ts';
import { callStore } from './store.ts';
import { timelineStore } from './timeline-store.ts';

export type { OwnEngines, Speech } from './conversation/engines.ts';
export type { Fact, SaidFact, SpokenCallEnd, TurnTimings } from './conversation/facts.ts';
export type { SpokenCall } from './conversation/spoken-call.ts';
export { type SpeechEngines, speakOnCall } from './conversation/voice-agent.ts';
export { sandboxPhones } from './sandbox-people/phones.ts';
export type { SandboxLine } from './sandbox-people/routes.ts';

export const call_sealed_columns: readonly SealedColumn[] = [{ table: 'calls', column: 'brain_key_sealed' }];

export function callFeature(deps: CallDeps) {
  const store = callStore(deps.db, deps.baseUrl, deps.unitOfWork, deps.findIds);
  const progress_store = progressStore(deps.db, deps.move, deps.baseUrl);
  const timeline = timelineStore(deps.db);
  const waiting = waiters({ per_process: 500, per_organization: 50, draining: deps.draining });
  const llm_keys = llmKeys(deps.sealer);
  const held_store = heldCallStore(deps.db);
  const { progress, dispatcher, sweeper, handleEvents } = callDispatch({
    ...deps,
    store: progress_store,
    timeline,
    llm_keys,
    held_store,
    onEnd: ({ organization_id }) => waiting.notify(organization_id),
  });
  const service = callService({
    ...deps,
    store,
    progress_store,
    progress,
    timeline,
    dispatcher,
    waiters: waiting,
    llm_keys,
    held_store,
    committed: dispatcher.wake,
  });
  const held_deps = { ...deps, held_store, progress, committed: dispatcher.wake };
  const releaseReservations = reservationSweeper({
    db: deps.db,
    kinds: [reservedFunds(deps.funds), deps.budgets.callReservations],
    openAmong: store.openAmong,
  });

  const jobs: JobHandler[] = [
    // A short lease: the process that crashes may be the one that was about to look for lost calls.
    { kind: 'close_lost_calls', every_seconds: 2, lease_seconds: 10, run: () => sweeper.sweep() },
    callReleaser(held_deps),
    { kind: 'release_call_reservations', every_seconds: 60, run: releaseReservations },
  ];
  const routes = [callRoutes(service)];
  const { sandbox_line: line } = deps;

  return {
    held_calls: heldCalls(held_deps),
    find: store.find,
    openCalls: store.openAmong,
    runningCount: dispatcher.runningCount,
    sandboxOutbox: store.sandboxOutbox,
    routes: line ? [...routes, sandboxPhoneRoutes({ ...deps, store, progress_store, line })] : routes,
    jobs,
    handleEvents,
    phoneChanged: phoneEvents({ ...deps, store }),
    start: dispatcher.start,
    /** Ends the calls of this process. */
    drain: dispatcher.stop,
    close: deps.close,
    dispatcher: {
      nextDue: sweeper.nextDue,
      async drain() {
        await sweeper.failWaiting();
        await dispatcher.drain();
      },
    },
  };
}
export type CallFeature = ReturnType<typeof callFeature>;
