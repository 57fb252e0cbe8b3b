// Calls: placed, led by a process to their end, written down; and the people who can be called in the sandbox.
import type { CallTurn } from '@parley/contract/call-records';
import type { SandboxPhoneCall } from '@parley/contract/sandbox-phone';
import type { Clock } from '../../platform/clock.ts';
import type { Sealer } from '../../platform/crypto.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { SealedColumn } from '../../platform/db/rewrap.ts';
import type { AddressPolicy } from '../../platform/egress/address-policy.ts';
import { waiters } from '../../platform/http/waiters.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import type { Mover } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import type { CountOutcome } from '../../platform/metrics.ts';
import type { Outbox } from '../../platform/outbox.ts';
import type { ObjectStorage } from '../../providers/storage/storage.ts';
import type { Admission, GuardedCarriers } from '../admission/index.ts';
import type { AgentService } from '../agents/index.ts';
import type { Funds } from '../funds/index.ts';
import type { NumbersFeature } from '../numbers/index.ts';
import type { ProviderSettings } from '../provider-settings/index.ts';
import type { StorageQuota } from '../storage-quota/index.ts';
import { callEngines, type OwnEngines, type Speech } from './conversation/engines.ts';
import { callEvents } from './dispatch/carrier-events.ts';
import { callDispatcher } from './dispatch/dispatcher.ts';
import { callIntake } from './dispatch/intake.ts';
import { callMeter, reservationSweeper } from './dispatch/metering.ts';
import { callProgress } from './dispatch/progress.ts';
import { type CallRef, progressStore } from './dispatch/progress-store.ts';
import { callRunner } from './dispatch/runner.ts';
import { callSweeper } from './dispatch/sweeper.ts';
import { callRoutes } from './routes.ts';
import { type SandboxLine, sandboxPhoneRoutes } from './sandbox-people/routes.ts';
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

export function callFeature(deps: {
  db: Database;
  move: Mover;
  carriers: GuardedCarriers;
  numbers: NumbersFeature;
  agents: AgentService;
  admission: Admission;
  funds: Funds;
  outbox: Outbox;
  storage: ObjectStorage;
  quota: StorageQuota;
  sealer: Sealer;
  speech: Speech;
  own_engines: OwnEngines;
  providers: Pick<ProviderSettings, 'active'>;
  llm_url_policy: AddressPolicy;
  /** Null where there is no sandbox. */
  sandbox_line: SandboxLine | null;
  baseUrl(): string;
  clock: Clock;
  ids: Ids;
  log: Log;
  countOutcome: CountOutcome;
  observeTurn(ms: number): void;
  /** Aborted when a stop begins: held requests answer at once. */
  draining: AbortSignal;
  /** How many calls this process leads at most; 0 leaves them to others. */
  at_once: number;
  queue_seconds: number;
  lease_seconds: number;
  /** Releases what the organizations' own engines hold. */
  close(): Promise<unknown>;
}) {
  const { db, speech, sealer } = deps;
  const { pool } = deps.numbers;
  const store = callStore(db, deps.baseUrl);
  const progress_store = progressStore(db, deps.move, deps.baseUrl);
  const timeline = timelineStore(db);
  const waiting = waiters({ per_process: 500, per_organization: 50, draining: deps.draining });
  // The text is part of what is sealed (additional authenticated data): changing it makes stored keys unreadable.
  const keyContext = (organization_id: string, call_id: string) =>
    `call brain key ${organization_id} ${call_id}`;

  const progress = callProgress({
    ...deps,
    store: progress_store,
    timeline,
    pool,
    ended({ organization_id }) {
      waiting.notify(organization_id);
      // A number may have become free.
      dispatcher.kick();
    },
  });
  /** A line of the transcript, told to those who follow the call. */
  const writeTurn = async (tx: Transaction, call: CallRef, turn: CallTurn): Promise<void> => {
    const { organization_id, id: call_id } = call;
    const { timings: _, ...said } = turn;
    await timeline.addTurn(tx, organization_id, { id: deps.ids.next(), call_id, ...turn });
    await deps.outbox.write(tx, [
      { organization_id, type: 'call.said', resource_id: call_id, data: { id: call_id, ...said } },
    ]);
  };
  const news = callEvents({
    ...deps,
    store: progress_store,
    progress,
    writeTurn,
    offered: (provider, offer) => intake(provider, offer),
    speaksItself: (provider) => deps.carriers.byName(provider)?.voice?.has_own_agent === true,
    hangUp(provider, provider_call_id) {
      const voice = deps.carriers.byName(provider)?.voice;
      voice?.hangUp(provider_call_id).catch(() => {});
    },
  });
  const meter = callMeter({ ...deps, store: progress_store, media_clock: speech.clock });
  const run = callRunner({
    ...deps,
    store: progress_store,
    meter,
    progress,
    writeTurn,
    pool,
    newsWritten: news.written,
    engines: callEngines({
      ...deps,
      own: deps.own_engines,
      mayBeOffline: deps.admission.mayBeOffline,
      openLlmKey: ({ organization_id, id, brain_key_sealed }) =>
        brain_key_sealed && sealer.open(brain_key_sealed, keyContext(organization_id, id)).toString(),
    }),
  });
  const dispatcher = callDispatcher({
    ...deps,
    store: progress_store,
    progress,
    pool,
    run,
    isBehind: () => speech.stt.isBehind(),
  });
  const intake = callIntake({ ...deps, store: progress_store, progress, dispatcher });
  const sweeper = callSweeper({ ...deps, store: progress_store, progress });
  const service = callService({
    ...deps,
    store,
    progress_store,
    progress,
    timeline,
    dispatcher,
    waiters: waiting,
    sealLlmKey: (organization_id, call_id, key) => sealer.seal(key, keyContext(organization_id, call_id)),
    committed: dispatcher.kick,
  });

  /** For whoever looks on; the phone itself does not wait for it. */
  let telling = Promise.resolve();
  const phoneChanged = (call: SandboxPhoneCall) => {
    telling = telling.then(() => tellOfPhone(call));
  };
  const tellOfPhone = async ({ call_id, status, direction, from, to }: SandboxPhoneCall): Promise<void> => {
    try {
      const [call] = await store.organizationOf(call_id);
      if (!call) return;
      const data = { id: call_id, status, direction, from, to };
      const { organization_id } = call;
      await deps.outbox.writeAlone(db, [
        { organization_id, type: 'sandbox.phone_changed', resource_id: call_id, data },
      ]);
    } catch (error) {
      deps.log.warn({ call_id, err: error }, 'a change at the phone could not be told');
    }
  };

  const jobs: JobHandler[] = [
    // A short lease: the process that dies may be the one that was about to look for lost calls.
    { kind: 'close_lost_calls', every_seconds: 2, lease_seconds: 10, run: () => sweeper.sweep() },
    ...(deps.funds.charging
      ? [
          {
            kind: 'release_call_reservations',
            every_seconds: 60,
            run: reservationSweeper({ ...deps, openAmong: store.openAmong }),
          },
        ]
      : []),
  ];

  return {
    openCalls: store.openAmong,
    leading: dispatcher.leading,
    sandboxOutbox: store.sandboxOutbox,
    routes: [
      callRoutes(service),
      ...(deps.sandbox_line
        ? [sandboxPhoneRoutes({ ...deps, store, progress_store, line: deps.sandbox_line })]
        : []),
    ],
    jobs,
    handleEvents: news.handleEvents,
    phoneChanged,
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
