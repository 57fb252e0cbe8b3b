// Calls: queued, run by a process to their end, with transcript and timeline; and the people of the sandbox.
import type { SealedColumn } from '../../../platform/db/rewrap.ts';
import { waiters } from '../../../platform/http/waiters.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { CallDeps } from './call-deps.ts';
import { commandRunner } from './commands/command-runner.ts';
import { commandService } from './commands/command-service.ts';
import { commandStore } from './commands/store.ts';
import { lateRecordings } from './conversation/recording/late-recordings.ts';
import { callDispatch } from './dispatch/call-dispatch.ts';
import { reservationSweeper, reservedFunds } from './dispatch/progress/metering.ts';
import { type ProgressStore, progressStore } from './dispatch/progress/progress-store.ts';
import { reportProcess } from './dispatch/progress/report-process.ts';
import { type ProcessStore, processStore } from './dispatch/queue/leader-store.ts';
import { callHistory } from './explain-store.ts';
import { llmKeys } from './llm-keys.ts';
import { resultStore } from './results/result-store.ts';
import { type ResultDeps, resultJob } from './results/settle-result.ts';
import { callRoutes } from './routes.ts';
import { phoneEvents } from './sandbox-people/phone-events.ts';
import { sandboxPhoneRoutes } from './sandbox-people/routes.ts';
import { callService } from './service.ts';
import { type CallStore, callStore } from './store.ts';
import { timelineStore } from './timeline-store.ts';
import { transferService } from './transfer/service.ts';
import { type WaitingCallStore, waitingCallStore } from './waiting/store.ts';
import { callReleaser, waitingCalls } from './waiting/waiting-calls.ts';

/** A carrier waits for the response to its offer only for some seconds. */
const max_offers = 3;

export type { OwnEngines, Speech } from './conversation/engines.ts';
export type { Fact, SaidFact, SpokenCallEnd, TurnTimings } from './conversation/facts.ts';
export type { SpokenCall } from './conversation/spoken-call.ts';
export { type SpeechEngines, speakOnCall } from './conversation/voice-agent.ts';
export { lookUpRestoredCalls } from './dispatch/queue/restored-store.ts';
export type { CallHistory } from './explain-store.ts';
export { callPersonalData } from './results/personal-data-store.ts';
export { sandboxPhones } from './sandbox-people/phones.ts';
export type { SandboxLine } from './sandbox-people/routes.ts';

export const call_sealed_columns: readonly SealedColumn[] = [
  { table: 'calls', column: 'llm_key_sealed' },
  { table: 'calls', column: 'brain_key_sealed' },
];

export function callFeature(deps: CallDeps) {
  const store = callStore(deps.db, deps.baseUrl, deps.unitOfWork, deps.findIds);
  const progress_store = progressStore(deps.db, deps.move, deps.baseUrl);
  const timeline = timelineStore(deps.db);
  const waiting = waiters({ per_process: 500, per_organization: 50, draining: deps.draining });
  const llm_keys = llmKeys(deps.sealer);
  const waiting_store = waitingCallStore(deps.db);
  const command_store = commandStore(deps.db);
  const commands = commandRunner({ ...deps, store: command_store });
  const { progress, dispatcher, sweeper, reporter, handleEvents } = callDispatch({
    ...deps,
    store: progress_store,
    timeline,
    llm_keys,
    waiting_store,
    commands,
    onEnd: ({ organization_id }) => waiting.notify(organization_id),
  });
  const result_deps = resultDeps(deps, store, reporter, (organization_id) => waiting.notify(organization_id));
  const service = callService({
    ...deps,
    result_deps,
    store,
    progress_store,
    progress,
    timeline,
    dispatcher,
    waiters: waiting,
    llm_keys,
    waiting_store,
    committed: dispatcher.wake,
  });
  const command_service = commandService({ ...deps, store: command_store, calls: store, runner: commands });
  const waiting_deps = { ...deps, waiting_store, progress, committed: dispatcher.wake };
  const process_store = processStore(deps.db);
  const processes = reportProcess({ ...deps, store: process_store, free: dispatcher.freeCount });
  const jobs: JobHandler[] = [
    ...sweeps(sweeper, command_service),
    callReleaser(waiting_deps),
    resultJob(result_deps),
    releaseReservations(deps, store),
  ];
  const recordings = lateRecordings({ ...deps, timeline });
  const transfers = transferService({ calls: store, commands: command_service });
  const routes = [callRoutes(service, command_service, transfers)];
  const { sandbox_line: line } = deps;

  return {
    waiting_records: { call: waitingCalls(waiting_deps) },
    ...reads(deps, store, waiting_store),
    runningCount: dispatcher.runningCount,
    freeCalls: dispatcher.freeCount,
    keepPlace: dispatcher.keepPlace,
    tryKeepPlace: dispatcher.tryKeepPlace,
    hasCapacity: dispatcher.hasCapacity,
    ...otherProcesses(deps, progress_store, process_store),
    sandboxOutbox: store.sandboxOutbox,
    routes: line ? [...routes, sandboxPhoneRoutes({ ...deps, store, progress_store, line })] : routes,
    jobs,
    handleCarrierEvents: handleEvents,
    phoneChanged: phoneEvents({ ...deps, store }),
    start: () => [dispatcher, processes, recordings].forEach((each) => void each.start()),
    stop: () => stopAll(processes, recordings),
    storeLateRecordings: recordings.run,
    /** Takes no more calls; resolves when the running ones are over, or the signal aborts. */
    finish: dispatcher.finish,
    /** Ends the calls of this process. */
    drain: dispatcher.stop,
    close: () => closeAll(commands, command_service, deps),
    waiters: [{ nextDue: sweeper.nextDue, drain: () => drainCalls(sweeper, dispatcher) }],
  };
}
export type CallFeature = ReturnType<typeof callFeature>;

async function drainCalls(
  sweeper: { failWaiting(): Promise<unknown> },
  dispatcher: { drain(): Promise<unknown> },
): Promise<void> {
  await sweeper.failWaiting();
  await dispatcher.drain();
}

async function stopAll(...parts: { stop(): Promise<void> }[]): Promise<void> {
  for (const part of parts) await part.stop();
}

/** What other features read of calls. */
const reads = (
  deps: CallDeps,
  store: Pick<CallStore, 'find' | 'openAmong'>,
  waiting_store: Pick<WaitingCallStore, 'startedBy'>,
) => ({
  find: store.find,
  openCalls: store.openAmong,
  history: callHistory(deps.db),
  /** The credentials that started a call: what its agent sends counts for them. */
  startedBy: waiting_store.startedBy,
});

async function closeAll(...parts: { close(): unknown }[]): Promise<void> {
  for (const part of parts) await part.close();
}

/** How this process and the others find each other: for the audio of calls, and for inbound calls. */
const otherProcesses = (
  { leader_id }: CallDeps,
  store: Pick<ProgressStore, 'expectMedia' | 'leaderOfToken' | 'leaderOfOffered'>,
  processes: Pick<ProcessStore, 'withCapacity'>,
) => ({
  /** Stores that this process expects the carrier's audio of a call. False when another process leads the call. */
  expectMedia: (call_id: string, at: { url: string; token_hash: Buffer }) =>
    store.expectMedia({ id: call_id, leader_id }, at),
  leaderOfToken: (token_hash: Buffer) => store.leaderOfToken(token_hash, leader_id),
  /** Whether this process runs an inbound call that the carrier offers again. */
  runsOffered: async (offer: { provider: string; provider_call_id: string }) =>
    (await store.leaderOfOffered(offer)) === leader_id,
  /** The addresses of processes that may take this inbound call, the best one first. */
  processesFor: (offer: { provider: string; provider_call_id: string }) =>
    processes.withCapacity(leader_id, offer, max_offers),
});

const resultDeps = (
  deps: CallDeps,
  store: CallStore,
  modelOf: ResultDeps['modelOf'],
  settled: ResultDeps['settled'],
): ResultDeps => ({
  ...deps,
  store,
  results: resultStore(deps.db, deps.move, deps.baseUrl),
  modelOf,
  wakeJobs: deps.jobs.wake,
  settled,
  media_clock: deps.speech.clock,
});

const releaseReservations = ({ db, funds, budgets }: CallDeps, { openAmong }: CallStore): JobHandler => ({
  kind: 'release_call_reservations',
  every_seconds: 60,
  run: reservationSweeper({ db, kinds: [reservedFunds(funds), budgets.callReservations], openAmong }),
});

const sweeps = (
  sweeper: { sweep(): Promise<void> },
  commands: { sweep(): Promise<unknown>; deleteOld(): Promise<void> },
): JobHandler[] => [
  {
    kind: 'close_lost_calls',
    every_seconds: 2,
    // Short: the process that crashes may be the one that was about to look for lost calls.
    lease_seconds: 10,
    async run() {
      await sweeper.sweep();
      await commands.sweep();
    },
  },
  { kind: 'delete_old_call_commands', every_seconds: 3600, run: commands.deleteOld },
];
