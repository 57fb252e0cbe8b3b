// Commits received messages: record, attachments, timeline, charge, events and forwarding jobs in one transaction,
// which is shared by messages that arrive together.
import type { Clock } from '../../../../../platform/clock.ts';
import type { Transaction } from '../../../../../platform/db/database.ts';
import type { Ids } from '../../../../../platform/ids.ts';
import type { Jobs } from '../../../../../platform/jobs.ts';
import type { CountOutcome } from '../../../../../platform/metrics.ts';
import type { Tracing } from '../../../../../platform/tracing/trace.ts';
import {
  alsoWrite,
  type Change,
  insert,
  type UnitOfWork,
} from '../../../../../platform/unit-of-work/unit-of-work.ts';
import type { RequestAnswer } from '../../../../agents/agents/index.ts';
import type { ConsentRevocations } from '../../../../rules/consents/index.ts';
import type { Funds } from '../../../../rules/funds/index.ts';
import type { Hit, ReceiveRules } from '../../../../rules/receive-rules/index.ts';
import { receivedAttachments } from '../../../email-attachments/index.ts';
import type { EmailSuppressions } from '../../../email-suppressions/index.ts';
import { type TimelineEntry, timelineEntries } from '../../timeline-store.ts';
import {
  type IncomingMessage,
  quarantinedEvent,
  receivedEvent,
  type SuppressionReason,
  suppressedEvent,
} from '../events.ts';
import { newForwardJob } from '../forward/forward-job.ts';
import { reserveForward } from '../forward/store.ts';
import { answererOf, answerRequest } from '../replies/answerer.ts';
import { isOptOutReply, isSuspectedReply } from '../replies/opt-out-reply.ts';
import { findDuplicate, received_emails } from '../store.ts';
import { joinConversations } from './conversations.ts';

export type CommitDeps = {
  clock: Clock;
  ids: Ids;
  countOutcome: CountOutcome;
  unitOfWork: Pick<UnitOfWork, 'sharedTransaction' | 'commitIn'>;
  funds: Pick<Funds, 'charging' | 'charge'>;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  suppressions: Pick<EmailSuppressions, 'suppress'>;
  revocations: Pick<ConsentRevocations, 'revoke' | 'suspect'>;
  /** Wakes requests of the organization that wait for an email. */
  notifyWaiting(organization_id: string): void;
  baseUrl(): string;
  tracing: Tracing | null;
  rules: Pick<ReceiveRules, 'recordHits'>;
  requestAnswer: RequestAnswer;
};

/** `is_new` is false if the same message was received before; `email_id` is then the earlier email. */
export type Committed = { email_id: string; is_new: boolean };
export type CommitMessage = (message: IncomingMessage) => Promise<Committed>;

/** Bodies are large: a batch must fit into memory and into one statement. */
const batch_options = { max_flushes: 2, max_rows: 25 };

export const commitMessages = (deps: CommitDeps): CommitMessage =>
  deps.unitOfWork.sharedTransaction(
    (tx, messages) => withoutTrace(deps.tracing, () => commitBatch(deps, tx, messages)),
    batch_options,
  );

/** A batch has messages of several traces, so the current one is none of theirs: each message has its own. */
const withoutTrace = <T>(tracing: Tracing | null, work: () => T): T =>
  tracing ? tracing.within(null, work) : work();

/** A message of the batch, and what was decided about it. */
type Decided = Committed & {
  message: IncomingMessage;
  is_quarantined: boolean;
  /** In quarantine, over the rate limit or unpaid: stored, but not announced as received and not forwarded. */
  is_suppressed: boolean;
  reasons: SuppressionReason[];
};

async function commitBatch(
  deps: CommitDeps,
  tx: Transaction,
  messages: IncomingMessage[],
): Promise<Committed[]> {
  await joinConversations(
    tx,
    messages.map(({ row }) => row),
    deps.clock.ms(),
  );
  const decided = await insertBatch(deps, tx, messages);
  await deps.rules.recordHits(tx, hitsOf(decided));
  await stopAll(deps, tx, decided);
  await chargeAll(deps, tx, decided);
  await forwardAll(deps, tx, decided);
  await announceAll(deps, tx, decided);
  await requestAnswers(deps, tx, decided);
  return decided.map(({ email_id, is_new }) => ({ email_id, is_new }));
}

// Two batches may contain the same keys. Each step below locks rows in sorted order, never in the order of arrival, so that
// two transactions cannot wait for each other.

const sortedBy = <T>(items: readonly T[], key: (item: T) => string): T[] =>
  items
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ item }) => item);

const hitsOf = (decided: readonly Decided[]): Hit[] =>
  decided.flatMap(({ is_new, message: { rule, row } }) =>
    is_new && rule ? [{ organization_id: row.organization_id, rule_id: rule.id }] : [],
  );

async function insertBatch(
  deps: CommitDeps,
  tx: Transaction,
  messages: IncomingMessage[],
): Promise<Decided[]> {
  const sorted = sortedBy(messages, ({ row }) => `${row.organization_id} ${row.dedupe_key}`);
  const outcomes = await deps.unitOfWork.commitIn(tx, sorted.map(newRecord));
  const stored = new Set(sorted.filter((_, at) => outcomes[at]!.outcome === 'stored'));
  const decided: Decided[] = [];
  for (const message of messages) {
    const is_new = stored.has(message);
    const { id: email_id, is_quarantined } = is_new
      ? { id: message.row.id, is_quarantined: message.row.quarantine !== null }
      : (await findDuplicate(tx, message.row))!;
    decided.push({ message, email_id, is_new, is_quarantined, is_suppressed: is_quarantined, reasons: [] });
  }
  return decided;
}

const newRecord = ({ row, attachments }: IncomingMessage): Change => ({
  record: insert(received_emails, row),
  also: attachments.map((attachment, place) => {
    const { organization_id, id: email_id } = row;
    return alsoWrite(receivedAttachments, { ...attachment, organization_id, email_id, place });
  }),
});

/** People who ask for it get no more emails. A person decides about words that only resemble that. */
async function stopAll(deps: CommitDeps, tx: Transaction, decided: Decided[]): Promise<void> {
  const refusals = decided.filter(({ is_new, message }) => is_new && isOptOutReply(message.row));
  for (const { message } of sortedBy(refusals, ({ message: { row } }) => row.from_address)) {
    const { organization_id, id: item_id, from_address: recipient } = message.row;
    const entry = { recipient, reason: 'unsubscribe', source: 'reply' } as const;
    await deps.suppressions.suppress(organization_id, entry, tx);
    const revoked_by = { kind: 'unsubscribe', item_id } as const;
    await deps.revocations.revoke(tx, { organization_id, recipient, channel: 'email', revoked_by });
  }
  const suspected = decided.filter(({ is_new, message }) => is_new && isSuspectedReply(message.row));
  for (const { message } of sortedBy(suspected, ({ message: { row } }) => row.from_address)) {
    const { organization_id, id: item_id, from_address: recipient } = message.row;
    await deps.revocations.suspect(tx, { organization_id, recipient, channel: 'email', item_id });
  }
}

/** A message over the rate limit is not charged, and one in quarantine only when it is released. */
async function chargeAll(deps: CommitDeps, tx: Transaction, decided: Decided[]): Promise<void> {
  const new_messages = decided.filter(({ is_new }) => is_new);
  for (const each of sortedBy(new_messages, ({ message }) => message.row.organization_id)) {
    if (each.message.over_rate) each.reasons.push('inbound_rate_limit');
    else if (!each.is_quarantined && (await chargeReceived(deps, tx, each.message.row)) === 'unpaid')
      each.reasons.push('insufficient_funds');
    each.is_suppressed ||= each.reasons.length > 0;
  }
}

export async function chargeReceived(
  { funds }: Pick<CommitDeps, 'funds'>,
  tx: Transaction,
  { organization_id, id: reference }: { organization_id: string; id: string },
): Promise<'paid' | 'unpaid'> {
  if (!funds.charging) return 'paid';
  const charge = { item: 'inbound_email', quantity: 1, reference } as const;
  return (await funds.charge(tx, organization_id, charge)) === 'insufficient_funds' ? 'unpaid' : 'paid';
}

/** A repeated message is forwarded too: it may have been delivered to another domain this time. */
async function forwardAll(deps: CommitDeps, tx: Transaction, decided: Decided[]): Promise<void> {
  const forwards = decided.flatMap((each) => {
    const domains = new Map(each.message.receivers.map((to) => [to.receiver.email_domain_id, to]));
    return [...domains.values()]
      .filter(({ receiver }) => receiver.forward_to.length > 0)
      .map((to) => ({ each, ...to }));
  });
  for (const forward of sortedBy(forwards, ({ receiver }) => receiver.email_domain_id)) {
    const { each, receiver, is_loop } = forward;
    if (each.is_quarantined) continue;
    if (is_loop) addReason(each, 'forward_loop');
    if (is_loop || each.is_suppressed) continue;
    const { traceparent, row } = each.message;
    const email = { organization_id: row.organization_id, id: each.email_id };
    const reserved = await startForward(deps, tx, { email, receiver, traceparent });
    if (reserved === 'over_limit') addReason(each, 'forward_rate_limit');
  }
}

/** Reserves the forward of an email by a domain, and queues it. */
export async function startForward(
  deps: Pick<CommitDeps, 'clock' | 'jobs'>,
  tx: Transaction,
  {
    email,
    receiver,
    traceparent,
  }: {
    email: { organization_id: string; id: string };
    receiver: IncomingMessage['receivers'][number]['receiver'];
    traceparent: string | null;
  },
): Promise<'reserved' | 'exists' | 'over_limit'> {
  const { email_domain_id, forward_to, forward_rate_per_hour: limit_per_hour } = receiver;
  const key = { organization_id: email.organization_id, email_id: email.id, email_domain_id };
  const reserved = await reserveForward(tx, key, { limit_per_hour, now: deps.clock.now() });
  if (reserved !== 'reserved') return reserved;
  const trace = traceparent ? { traceparent } : {};
  await deps.jobs.enqueue(tx, newForwardJob({ ...key, forward_to, ...trace }));
  tx.afterCommit(() => deps.jobs.wake());
  return reserved;
}

/** Several domains may refuse for the same reason: it is reported once. */
const addReason = ({ reasons }: Decided, reason: SuppressionReason): void => {
  if (!reasons.includes(reason)) reasons.push(reason);
};

/** Lets the agents of the addresses answer, once for each message. */
async function requestAnswers(deps: CommitDeps, tx: Transaction, decided: Decided[]): Promise<void> {
  const new_messages = decided.filter(({ is_new, is_suppressed }) => is_new && !is_suppressed);
  for (const { message } of sortedBy(new_messages, ({ message: { row } }) => row.conversation_id)) {
    const answerer = answererOf(message);
    const { traceparent } = message;
    const trace = traceparent ? { traceparent } : {};
    if (answerer) await deps.requestAnswer(tx, { ...answerRequest(message.row, answerer), ...trace });
  }
}

/** Writes timeline entries and events, in the order in which the messages arrived. */
async function announceAll(deps: CommitDeps, tx: Transaction, decided: Decided[]): Promise<void> {
  const new_messages = decided.filter(({ is_new }) => is_new);
  await deps.unitOfWork.commitIn(
    tx,
    new_messages.map((each) => announcement(deps, each)),
  );
}

const announcement = (deps: CommitDeps, { message, is_suppressed, reasons }: Decided): Change => ({
  events: [
    ...(is_suppressed ? [] : [receivedEvent(message, deps.baseUrl())]),
    // Over the rate limit, the event that says so is enough.
    ...(message.row.quarantine && reasons.length === 0
      ? [quarantinedEvent(message.row, message.row.quarantine)]
      : []),
    ...reasons.map((reason) => suppressedEvent(message, reason)),
  ].map((event) => (message.traceparent ? { ...event, traceparent: message.traceparent } : event)),
  also: [
    timelineEntry(deps.ids, message, {
      kind: 'received',
      dedupe_key: 'received',
      detail: { recipients: message.row.arrival.recipients },
    }),
    ...(message.row.quarantine
      ? [
          timelineEntry(deps.ids, message, {
            kind: 'quarantined',
            dedupe_key: 'quarantined',
            detail: { reason: message.row.quarantine.reason, rule_id: message.row.quarantine.rule_id },
          }),
        ]
      : []),
    ...reasons.map((reason) =>
      timelineEntry(deps.ids, message, {
        kind: 'received_suppressed',
        dedupe_key: `suppressed:${reason}`,
        detail: { reason },
      }),
    ),
  ],
  after: () => {
    deps.countOutcome('email', 'inbound', 'received', is_suppressed ? (reasons[0] ?? 'quarantine') : null);
    deps.notifyWaiting(message.row.organization_id);
  },
});

function timelineEntry(
  ids: Ids,
  { row }: IncomingMessage,
  entry: Pick<TimelineEntry, 'kind' | 'dedupe_key' | 'detail'>,
) {
  const { organization_id, id: email_id, requested_at: occurred_at } = row;
  const common = { id: ids.next(), organization_id, email_id, occurred_at, counted: [] };
  return alsoWrite(timelineEntries, { ...common, ...entry });
}
