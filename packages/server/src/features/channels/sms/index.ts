// SMS: texts in both directions.
import type { MovableClock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { FindIds } from '../../../platform/db/list-filter.ts';
import { untilCut } from '../../../platform/drain.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler, Jobs } from '../../../platform/jobs.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import type { Log } from '../../../platform/log.ts';
import type { CountOutcome } from '../../../platform/metrics.ts';
import type { PartyHash } from '../../../platform/party-hash.ts';
import type { SetAsideDeps } from '../../../platform/set-aside.ts';
import type { Solo } from '../../../platform/solo.ts';
import type { Tracing } from '../../../platform/tracing/trace.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { AuditLog } from '../../access/audit/index.ts';
import type { RequestAnswer } from '../../agents/agents/index.ts';
import { conversationThreads } from '../../inbox/conversations/index.ts';
import { messageWaits } from '../../inbox/message-waits/index.ts';
import type { Admission, GuardedCarriers, WithdrawApproval } from '../../rules/admission/index.ts';
import type { Budgets } from '../../rules/budgets/index.ts';
import type { ConsentRevocations } from '../../rules/consents/index.ts';
import type { ReceiveRules } from '../../rules/receive-rules/index.ts';
import type { NumbersFeature } from '../numbers/index.ts';
import { smsHistory } from './explain-store.ts';
import { conversationStore } from './receiving/conversation-store.ts';
import { type SmsReceiver, smsReceiver } from './receiving/receive.ts';
import { sandboxSmsRoutes, smsRoutes } from './routes.ts';
import { agentTexts } from './sending/agent-texts.ts';
import { dispatchStore } from './sending/dispatch-store.ts';
import { smsDispatcher } from './sending/dispatcher.ts';
import type { SenderFacts } from './sending/sender.ts';
import { senderStore } from './sending/sender-store.ts';
import { smsService } from './service.ts';
import { smsStore } from './store.ts';
import { suppressionStore } from './suppression-store.ts';
import { waitingSmsStore } from './waiting/store.ts';
import { waitingSms } from './waiting/waiting-sms.ts';

export type { SmsHistory } from './explain-store.ts';
export { smsPersonalData } from './personal-data-store.ts';
export type { AgentTextOutcome, AgentTexts } from './sending/agent-texts.ts';
export { lookUpRestoredTexts } from './sending/restored-store.ts';

export type SmsFeatureDeps = {
  db: Database;
  move: Mover;
  unitOfWork: UnitOfWork;
  /** For lists with filters by words and people. */
  findIds: FindIds;
  carriers: GuardedCarriers;
  numbers: NumbersFeature;
  requestAnswer: RequestAnswer;
  admission: Pick<Admission, 'admit' | 'isSimulated'>;
  withdrawApproval: WithdrawApproval | null;
  budgets: Pick<Budgets, 'giveBack'>;
  revocations: ConsentRevocations;
  rules: ReceiveRules;
  audit: AuditLog;
  clock: MovableClock;
  ids: Ids;
  log: Log;
  tracing: Tracing | null;
  countOutcome: CountOutcome;
  jobs: Pick<Jobs, 'wake'>;
  default_sender: string | null;
  automatic_replies: number;
  /** Aborted when the process begins to stop: requests that wait for a text are then answered. */
  draining: AbortSignal;
  /** Whether this process sends the texts that it queues; otherwise a worker process finds them. */
  sends: boolean;
  /** Adds the operation that simulates an inbound text. */
  is_sandbox: boolean;
  partyHash: PartyHash;
  solo: Solo;
  countSetAside?: SetAsideDeps['countSetAside'];
};

const sendDueTexts = (dispatcher: { drain(): Promise<unknown> }): JobHandler => ({
  kind: 'send_due_sms',
  every_seconds: 2,
  // Short: while a process that was killed has the lease, no other one looks for texts that are due. So it ends before its
  // lease although texts are still being sent, which have their own leases.
  lease_seconds: 10,
  run: async () => void (await untilCut(dispatcher.drain(), AbortSignal.timeout(5000))),
});

export function smsFeature(deps: SmsFeatureDeps) {
  const store = smsStore({
    ...deps,
    isRepeatable: ({ provider, to }) => deps.carriers.byName(provider)?.isRepeatable?.(to) ?? false,
  });
  const conversations = conversationStore(deps.db);
  const suppressions = suppressionStore(deps.db, deps.partyHash);
  const dispatch = dispatchStore(deps.db, { ...deps, senderRefused: deps.numbers.senderRefused });
  const dispatcher = smsDispatcher({ ...deps, store: dispatch, suppressions });
  const waits = messageWaits(deps);
  const queued = () => {
    if (deps.sends) dispatcher.wake();
  };
  const waiting_store = waitingSmsStore(deps);
  const service = smsService({
    ...deps,
    store,
    waiting_store,
    senders: senderStore(deps.db),
    suppressions,
    waits,
    active_carrier: activeCarrier(deps),
    queued,
  });
  const receiver = smsReceiver({
    ...deps,
    conversations,
    dispatch,
    suppressions,
    received: (organization_id) => waits.notify(organization_id),
    queued() {
      queued();
      deps.jobs.wake();
    },
  });
  const sandbox_routes = sandboxSmsRoutes({
    async receive(organization_id, text) {
      const received = await receiveInSandbox(deps, receiver, organization_id, text);
      return received && store.find(received.organization_id, received.id);
    },
  });

  return {
    texts: { get: service.get, create: service.create },
    find: store.find,
    /** For explain. */
    history: (organization_id: string, id: string) => smsHistory(deps.db, organization_id, id),
    /** For waits. */
    received: {
      async first(organization_id: string, filter: Parameters<typeof store.firstInbound>[1]) {
        const text = await store.firstInbound(organization_id, filter);
        return text && { id: text.id, at: text.requested_at };
      },
      async texts(
        organization_id: string,
        filter: Parameters<typeof store.inboundAfter>[1] & { after: string | null; limit: number },
      ) {
        const texts = await store.inboundAfter(organization_id, filter, filter);
        return texts.map(({ id, requested_at, body }) => ({ id, at: requested_at, text: body }));
      },
    },
    /** For agents. */
    agent_texts: agentTexts({ ...deps, store, conversations, suppressions, queued }),
    waiting_records: { sms: waitingSms({ ...deps, store, waiting_store, queued }) },
    routes: [
      smsRoutes(service, conversationThreads(deps.db).threadsOf),
      ...(deps.is_sandbox ? [sandbox_routes] : []),
    ],
    jobs: [sendDueTexts(dispatcher)],
    sandboxOutbox: store.sandboxOutbox,
    handleCarrierEvents: receiver.handleEvents,
    /** For consents: the recipient gets no more texts. */
    suppressRevoked: suppressRevoked(deps, suppressions),
    waiters: [dispatcher],
    drainDue: dispatcher.drain,
    /** The kill switch was changed. */
    sendingSwitched: dispatcher.switched,
    stop: dispatcher.stop,
  };
}
export type SmsFeature = ReturnType<typeof smsFeature>;

const suppressRevoked =
  ({ ids, clock }: SmsFeatureDeps, suppressions: ReturnType<typeof suppressionStore>) =>
  (tx: Transaction, organization_id: string, recipient: string) =>
    suppressions.add(tx, {
      id: ids.next(),
      organization_id,
      recipient,
      channel: 'sms',
      reason: 'opt_out',
      source: 'revocation',
      created_at: clock.now().toISOString(),
    });

function activeCarrier({ carriers: { active } }: SmsFeatureDeps): SenderFacts['active'] {
  if (!active?.capabilities.sms) return null;
  return { name: active.name, sender_names: active.capabilities.sender_names };
}

/** An inbound text on request, to a number of the organization or to the shared sender; null for any other number. */
async function receiveInSandbox(
  deps: SmsFeatureDeps,
  receiver: SmsReceiver,
  organization_id: string,
  text: { from: string; to: string; body: string },
): Promise<{ organization_id: string; id: string } | null> {
  const [holder] = await deps.numbers.holders(deps.db, [text.to]);
  if (holder ? holder.organization_id !== organization_id : text.to !== deps.default_sender) return null;
  return receiver.receive({
    kind: 'text_received',
    provider_message_id: `sandbox-in-${deps.ids.next()}`,
    provider: holder?.provider ?? deps.carriers.active?.name ?? 'sandbox',
    organization_id,
    ...text,
  });
}
