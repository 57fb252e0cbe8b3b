// Handles the carrier's events about texts: inbound texts, and delivery reports of outbound ones.
import { isDeepStrictEqual } from 'node:util';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { segmentsOf } from '@parley/contract/channels/sms/sms-segments';
import { isoTime } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { NewEvent } from '../../../../platform/event.ts';
import type { Log } from '../../../../platform/log.ts';
import type { CountOutcome } from '../../../../platform/metrics.ts';
import { continueTrace } from '../../../../platform/tracing/continue-trace.ts';
import type { Tracing } from '../../../../platform/tracing/trace.ts';
import { type Change, insert } from '../../../../platform/unit-of-work/unit-of-work.ts';
import type { CarrierEvent } from '../../../../providers/carrier/carrier.ts';
import type { RequestAnswer } from '../../../agents/agents/index.ts';
import { resemblesRefusal } from '../../../rules/consents/index.ts';
import type { DecidingRule, ReceiveRules } from '../../../rules/receive-rules/index.ts';
import type { NumbersFeature } from '../../numbers/index.ts';
import type { DispatchStore } from '../sending/dispatch-store.ts';
import { numberUnchanged, received_texts, type SmsRow, sms_messages } from '../sending/sms-record-store.ts';
import { suppressRefused } from '../suppression-store.ts';
import { conversationId } from './conversation-id.ts';
import { applyKeyword, type KeywordDeps } from './keyword-answers.ts';
import { type Holder, numberHolders } from './number-holders.ts';
import { optOutKeyword } from './opt-out-keywords.ts';
import type { ReceivedSms } from './received-sms.ts';

type ChangedSms = Extract<CarrierEvent, { kind: 'text_changed' }> & { provider: string };
type Inbound = { row: SmsRow; holder: Holder; rule: DecidingRule | null; traceparent: string | null };

export type ReceiverDeps = KeywordDeps & {
  db: Database;
  dispatch: DispatchStore;
  numbers: Pick<NumbersFeature, 'holders'>;
  rules: Pick<ReceiveRules, 'judgePhone' | 'recordHits'>;
  log: Log;
  tracing: Tracing | null;
  countOutcome: CountOutcome;
  /** Lets the agent of the number answer later. */
  requestAnswer: RequestAnswer;
  default_sender: string | null;
  /** After the commit of an inbound text: requests may wait for it. */
  received(organization_id: string): void;
  /** After the commit of an inbound text that may have queued an answer. */
  queued(): void;
};

/** When a text without a delivery report is asked about; see the dispatcher. */
const receipt_ms = 600_000;

/** Text from the network: without NUL and half surrogate pairs, and no longer than a long text can be. */
const clean = (text: string, max: number) => text.replaceAll('\0', '').slice(0, max).toWellFormed();

export function smsReceiver(deps: ReceiverDeps) {
  const holders = numberHolders(deps);
  const storeWithActions = deps.unitOfWork.sharedTransaction<Inbound, boolean>((tx, texts) =>
    storeAndAct(deps, tx, texts),
  );
  const applyReport = deps.unitOfWork.sharedTransaction<ChangedSms, Sms | null>((tx, changes) =>
    applyReports(deps, tx, changes),
  );

  const receive = (text: ReceivedSms) =>
    receiveText(
      deps,
      { holders, storeWithActions },
      { ...text, from: clean(text.from, 40), to: clean(text.to, 40), body: clean(text.body, 4000) },
    );

  return {
    /** Stores an inbound text; null for a known one and for one without a holder. */
    receive,

    async handleEvents(provider: string, events: CarrierEvent[]): Promise<void> {
      for (const each of events) {
        if (each.kind === 'text_received') await receive({ ...each, provider });
        if (each.kind === 'text_changed') await applyReport({ ...each, provider });
      }
    },
  };
}
export type SmsReceiver = ReturnType<typeof smsReceiver>;

async function receiveText(
  deps: ReceiverDeps,
  {
    holders,
    storeWithActions,
  }: {
    holders: ReturnType<typeof numberHolders>;
    storeWithActions(inbound: Inbound): Promise<boolean>;
  },
  text: ReceivedSms,
): Promise<SmsRow | null> {
  const is_plain = optOutKeyword(text.body) === null && !resemblesRefusal(text.body);
  let holder = (is_plain && holders.cached(text)) || (await holders.read(text));
  while (holder) {
    const { organization_id, agent_id } = holder;
    const rule = await deps.rules.judgePhone(organization_id, { ...text, channel: 'sms' });
    const row = inboundRow(deps, text, organization_id, rule);
    const has_actions = !is_plain || agent_id !== null || rule !== null;
    // Its transaction has texts of several traces, so none of them is current there.
    const inbound = { row, holder, rule, traceparent: deps.tracing?.current() ?? null };
    if (await (has_actions ? storeWithActions(inbound) : storePlain(deps, inbound))) return row;
    // A duplicate, or the number has another holder or an agent now.
    const current: Holder | null = await holders.read(text);
    if (isDeepStrictEqual(current, holder)) break;
    holder = current;
  }
  const { provider, provider_message_id } = text;
  deps.log.info({ provider, provider_message_id }, 'inbound text ignored: no holder, or a duplicate');
  return null;
}

/** The label of texts that a receive rule blocks. */
const blocked_label = 'blocked';

function labelsBy(rule: DecidingRule | null): string[] {
  if (!rule) return [];
  return rule.action === 'block' ? [...new Set([...rule.labels, blocked_label])].sort() : rule.labels;
}

function inboundRow(
  { clock, ids }: ReceiverDeps,
  text: ReceivedSms,
  organization_id: string,
  rule: DecidingRule | null,
): SmsRow {
  // Taken before the id, which has its own time: a query for texts since this time must find this one.
  const requested_at = isoTime(clock.ms());
  return {
    id: ids.next(),
    organization_id,
    conversation_id: conversationId(organization_id, text.to, text.from),
    direction: 'inbound',
    from: text.from,
    to: text.to,
    body: text.body,
    status: 'received',
    error_code: text.withheld ?? null,
    ...segmentsOf(text.body),
    provider: text.provider,
    provider_message_id: text.provider_message_id,
    requested_at,
    sent_at: null,
    delivered_at: null,
    failed_at: null,
    content_erased_at: null,
    hold: null,
    scheduled_at: null,
    metadata: {},
    labels: labelsBy(rule),
    origin: 'carrier',
    answers_id: null,
    is_shared_sender: false,
    next_attempt_at: null,
    attempts: 0,
    claims: 0,
    handed_at: null,
    admission: null,
    terms: null,
    blocked_by: rule?.action === 'block' ? rule.id : null,
  };
}

const receivedEvent = ({ organization_id, id, from, to, body, error_code }: SmsRow): NewEvent => ({
  organization_id,
  type: 'sms.received',
  resource_id: id,
  data: { id, from, to, body, error_code },
});

const blockedEvent = ({ organization_id, id, from, to }: SmsRow, rule_id: string): NewEvent => ({
  organization_id,
  type: 'sms.blocked',
  resource_id: id,
  data: { id, from, to, rule_id },
});

const changeFor = (deps: ReceiverDeps, row: SmsRow, traceparent: string | null) => ({
  events: [
    {
      ...(row.blocked_by ? blockedEvent(row, row.blocked_by) : receivedEvent(row)),
      ...(traceparent ? { traceparent } : {}),
    },
  ],
  after() {
    deps.countOutcome('sms', 'inbound', 'received', row.blocked_by ? 'blocked' : null);
    deps.received(row.organization_id);
  },
});

/** A text that needs no action of the service. False when it was not stored. */
async function storePlain(
  deps: ReceiverDeps,
  { row, holder: { number_id }, traceparent }: Inbound,
): Promise<boolean> {
  const checks = number_id === null ? [] : [numberUnchanged({ number_id })];
  const record = insert(sms_messages, row, checks);
  const { outcome } = await deps.unitOfWork.commit({ record, ...changeFor(deps, row, traceparent) });
  return outcome === 'stored';
}

const suspectRefusal = (deps: ReceiverDeps, tx: Transaction, { organization_id, id, from }: SmsRow) =>
  deps.revocations.suspect(tx, { organization_id, recipient: from, channel: 'sms', item_id: id });

/** Texts with a keyword, texts that a receive rule decided about, texts with words that resemble a refusal, and texts for an agent. */
async function storeAndAct(deps: ReceiverDeps, tx: Transaction, texts: Inbound[]): Promise<boolean[]> {
  const changes = texts.map(
    ({ row, traceparent }): Change<never> => ({
      record: insert(received_texts, row),
      ...changeFor(deps, row, traceparent),
    }),
  );
  const results = await deps.unitOfWork.commitIn(tx, changes);
  const is_stored = results.map(({ outcome }) => outcome === 'stored');
  const hits = texts.flatMap(({ row: { organization_id }, rule }, index) =>
    is_stored[index] && rule ? [{ organization_id, rule_id: rule.id }] : [],
  );
  await deps.rules.recordHits(tx, hits);
  for (const [index, { row, holder, traceparent }] of texts.entries()) {
    if (!is_stored[index]) continue;
    const keyword = await applyKeyword(deps, tx, row);
    if (keyword === null && resemblesRefusal(row.body)) await suspectRefusal(deps, tx, row);
    if (keyword !== null || holder.agent_id === null || row.blocked_by) continue;
    const { organization_id, id } = row;
    await deps.requestAnswer(tx, {
      organization_id,
      channel: 'sms',
      message_id: id,
      thread_id: row.conversation_id,
      agent_id: holder.agent_id,
      own: row.to,
      received_at: row.requested_at,
      ...(traceparent ? { traceparent } : {}),
    });
  }
  tx.afterCommit(deps.queued);
  return is_stored;
}

/** Delivery reports. A carrier may refuse a text because its recipient opted out there: that suppresses the recipient. */
async function applyReports(
  deps: ReceiverDeps,
  tx: Transaction,
  changes: ChangedSms[],
): Promise<(Sms | null)[]> {
  const { clock, dispatch } = deps;
  const results: (Sms | null)[] = [];
  for (const { provider, provider_message_id, sms_id, text } of changes) {
    const subject = await dispatch.subject(tx, provider, provider_message_id, sms_id);
    const moved =
      subject &&
      (await continueTrace({ ...deps, db: tx }, subject, { name: 'sms.report' }, () =>
        dispatch.outcome(tx, subject, text, clock.now(), {
          provider_message_id,
          next_attempt_at: new Date(clock.ms() + receipt_ms),
        }),
      ));
    if (moved?.error_code === 'recipient_opted_out') await suppressRefused(deps, tx, moved);
    if (!subject) deps.log.info({ provider, provider_message_id }, 'carrier event for an unknown text');
    results.push(moved);
  }
  return results;
}
