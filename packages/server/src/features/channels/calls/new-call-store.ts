// Stores a new call with the first entry of its timeline.
import { type Call, type CallEventKind, callLifecycle } from '@parley/contract/channels/calls/call-records';
import type { no_result } from '@parley/contract/channels/calls/call-results';
import { alsoEnqueue } from '../../../platform/also-enqueue.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { table } from '../../../platform/db/table.ts';
import type { IdempotencyRow } from '../../../platform/idempotency.ts';
import type { Ids } from '../../../platform/ids.ts';
import { alsoInsert, check, insert, type UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import { type Condition, dueAt, type SendingTerms } from '../../rules/admission/index.ts';
import { oldestVoiceNumber } from '../numbers/index.ts';
import type { StoredPlan } from './conversation/speak/speech-plan.ts';
import { holdDetail, releaseJob } from './waiting/release-job.ts';

/** A call with its internal columns. */
export type NewCall = Omit<Call, 'recording_url' | keyof typeof no_result> & {
  ring_timeout_seconds: number;
  is_recorded: boolean;
  plan: StoredPlan;
  llm_key_sealed: string | null;
  /** The decision at create; only for a call that waits. */
  admission: string | null;
  /** What the rules need at the hand-over; null for the defaults. */
  terms: SendingTerms | null;
};

export type NewCallRecord = {
  call: NewCall;
  ids: Ids;
  clock: Clock;
  /** The response for the Idempotency-Key. */
  answer: IdempotencyRow | null;
  /** Set when the number was chosen from the cache as the oldest of the organization; e164 is null where there was none. */
  chosen: { e164: string | null; providers: string[] } | null;
  /** Of the admission decision. */
  conditions: readonly Condition[];
  /** May refuse the call; runs in the transaction that stores it. */
  guard?: ((tx: Transaction) => Promise<void>) | null | undefined;
};

// Without the columns that are null until the call makes progress: fewer parameters make the statement cheaper.
const columns = {
  id: 'uuid',
  organization_id: 'uuid',
  conversation_id: 'uuid',
  agent_id: 'uuid',
  agent_version: 'int',
  variables: 'json',
  direction: 'text',
  status: 'text',
  from: 'text',
  to: 'text',
  provider: 'text',
  requested_at: 'timestamptz',
  metadata: 'json',
  ring_timeout_seconds: 'int',
  is_recorded: 'boolean',
  plan: 'json',
  llm_key_sealed: 'text',
  brain_key_sealed: 'text',
} as const;
const alike = [
  'organization_id',
  'agent_id',
  'agent_version',
  'direction',
  'status',
  'from',
  'provider',
  'ring_timeout_seconds',
  'is_recorded',
  'llm_key_sealed',
  'brain_key_sealed',
] as const;
const alike_plan = ['metadata', 'plan', 'variables'] as const;
/** Processes of the previous release read the key of the language model under its former name. */
type CallRow = NewCall & { brain_key_sealed: string | null };

const calls = table<'calls', CallRow, typeof callLifecycle>('calls', columns, {
  lifecycle: callLifecycle,
  // A call is large: with batches of this size the database writes one while the next is read.
  batch: { max_rows: 16 },
  duplicates: 'rare',
  often_alike: [alike, alike_plan],
});

/** For calls that wait, or that have terms because of the rules of the organization. */
const calls_with_terms = table<'calls', CallRow, typeof callLifecycle>(
  'calls',
  { ...columns, hold: 'json', scheduled_at: 'timestamptz', terms: 'json', admission: 'text' },
  {
    lifecycle: callLifecycle,
    // Budgets are counted by the statement. A second one at the same time would only wait for its locks.
    batch: { max_rows: 32, max_flushes: 1 },
    duplicates: 'rare',
    often_alike: [alike, alike_plan, ['hold', 'scheduled_at', 'terms', 'admission']],
  },
);

type TimelineEntry = {
  id: string;
  organization_id: string;
  call_id: string;
  kind: CallEventKind;
  occurred_at: string;
  detail: object;
};
const call_events = table<'call_events', TimelineEntry>(
  'call_events',
  {
    id: 'uuid',
    organization_id: 'uuid',
    call_id: 'uuid',
    kind: 'text',
    occurred_at: 'timestamptz',
    detail: 'json',
  },
  { often_alike: [['organization_id', 'kind', 'detail']] },
);

const numberUnchanged = check({
  refusal: 'number_changed',
  columns: { organization_id: 'uuid', e164: 'text', providers: 'text[]' },
  holds: sql`(select own.e164 from (${oldestVoiceNumber(sql`asked.organization_id`, sql`asked.providers`)}) own)
    is not distinct from asked.e164`,
});

export async function insertCall(
  unitOfWork: UnitOfWork,
  { call, ids, clock, answer, chosen, conditions, guard }: NewCallRecord,
): Promise<'stored' | 'number_changed' | 'consent_not_recorded' | 'not_counted'> {
  const { id: call_id, organization_id, requested_at, hold } = call;
  const entry = (kind: CallEventKind, detail: object): TimelineEntry => ({
    id: ids.next(),
    organization_id,
    call_id,
    kind,
    occurred_at: requested_at,
    detail,
  });
  const run_at = hold && dueAt(hold);
  const result = await unitOfWork.commit({
    record: insert(
      call.terms ? calls_with_terms : calls,
      { ...call, brain_key_sealed: call.llm_key_sealed },
      [...(chosen ? [numberUnchanged({ organization_id, ...chosen })] : []), ...conditions],
    ),
    also: [
      alsoInsert(call_events, entry('requested', {})),
      ...(hold ? [alsoInsert(call_events, entry('held', holdDetail(hold)))] : []),
      ...(run_at ? [alsoEnqueue({ clock, ids }, releaseJob(call, run_at))] : []),
    ],
    answer,
    guard,
  });
  if (result.outcome === 'refused') return result.by;
  if (result.outcome !== 'stored') throw new Error(`call ${call_id} was stored before`);
  return 'stored';
}
