// SMS: texts in both directions.
import type { MovableClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler, Jobs } from '../../platform/jobs.ts';
import type { Mover } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import type { CountOutcome } from '../../platform/metrics.ts';
import type { Outbox } from '../../platform/outbox.ts';
import type { Llm } from '../../providers/llm/llm.ts';
import type { Admission, GuardedCarriers } from '../admission/index.ts';
import type { AgentService } from '../agents/index.ts';
import { messageWaits } from '../message-waits/index.ts';
import type { NumbersFeature } from '../numbers/index.ts';
import type { ActiveProvider, ProviderSettings } from '../provider-settings/index.ts';
import { agentReplies } from './agent-replies.ts';
import { dispatchStore } from './dispatch-store.ts';
import { smsDispatcher } from './dispatcher.ts';
import { smsReceiver } from './receive.ts';
import { sandboxSmsRoutes, smsRoutes } from './routes.ts';
import { smsService } from './service.ts';
import { smsStore } from './store.ts';
import { suppressionStore } from './suppression-store.ts';

export function smsFeature(deps: {
  db: Database;
  move: Mover;
  outbox: Outbox;
  carriers: GuardedCarriers;
  numbers: NumbersFeature;
  agents: AgentService;
  admission: Pick<Admission, 'admit' | 'isSimulated'>;
  providers: Pick<ProviderSettings, 'active'>;
  openLlm(given: ActiveProvider): Llm;
  /** Answers texts that reach nobody. */
  sandbox_llm: Llm;
  clock: MovableClock;
  ids: Ids;
  log: Log;
  countOutcome: CountOutcome;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  default_sender: string | null;
  automatic_replies: number;
  /** Aborted when a stop begins: held requests answer at once. */
  draining: AbortSignal;
  /** Whether this process sends at once what it queued; others are found by their workers. */
  sends: boolean;
  /** Adds the operations with which a developer lets a text come in. */
  is_sandbox: boolean;
}) {
  const store = smsStore(deps.db, {
    isRepeatable: ({ provider, to }) => deps.carriers.byName(provider)?.isRepeatable?.(to) ?? false,
  });
  const suppressions = suppressionStore(deps.db);
  const dispatch = dispatchStore(deps.db, deps.move, deps.countOutcome);
  const dispatcher = smsDispatcher({ ...deps, store: dispatch, suppressions });
  const waits = messageWaits(deps);
  const committed = () => {
    if (deps.sends) dispatcher.kick();
  };
  const service = smsService({ ...deps, store, suppressions, waits, committed });
  const receiver = smsReceiver({
    ...deps,
    store,
    dispatch,
    suppressions,
    enqueue: deps.jobs.enqueue,
    committed(organization_ids) {
      for (const organization_id of organization_ids) waits.notify(organization_id);
      committed();
      deps.jobs.wake();
    },
  });

  /** The organization's own; the sandbox's stub never speaks to people. */
  const model = async (organization_id: string, provider: string): Promise<Llm | null> => {
    const given = await deps.providers.active(organization_id, 'llm');
    if (given) return deps.openLlm(given);
    return deps.admission.isSimulated(provider) ? deps.sandbox_llm : null;
  };

  const jobs: JobHandler[] = [
    { kind: 'send_due_sms', every_seconds: 2, run: () => dispatcher.drain() },
    agentReplies({ ...deps, enqueue: deps.jobs.enqueue, store, suppressions, model, committed }),
  ];

  const sandbox_routes = sandboxSmsRoutes({
    async receive(organization_id, text) {
      const { db, numbers, default_sender, ids } = deps;
      const [holder] = await numbers.holders(db, [text.to]);
      if (holder ? holder.organization_id !== organization_id : text.to !== default_sender) return null;
      const provider = holder?.provider ?? deps.carriers.active?.name ?? 'sandbox';
      const received = await receiver.received({
        kind: 'text_received',
        provider_message_id: `sandbox-in-${ids.next()}`,
        provider,
        organization_id,
        ...text,
      });
      return received && store.find(received.organization_id, received.id);
    },
  });

  return {
    routes: [smsRoutes(service), ...(deps.is_sandbox ? [sandbox_routes] : [])],
    jobs,
    sandboxOutbox: store.sandboxOutbox,
    handleEvents: receiver.handleEvents,
    dispatcher,
    stop: dispatcher.stop,
  };
}
