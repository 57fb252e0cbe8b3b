// The SQL of sending. Texts are claimed with a lease; the number of claims fences off a worker whose lease has ended.

import { type Sms, type SmsErrorCode, smsLifecycle } from '@parley/contract/channels/sms/sms';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Database, Queryable, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { Mover } from '../../../../platform/lifecycle.ts';
import type { CountOutcome } from '../../../../platform/metrics.ts';
import type { TextOutcome } from '../../../../providers/carrier/carrier.ts';
import { default_terms, dueAt, type SendingTerms } from '../../../rules/admission/index.ts';
import { type SmsAttempt, withAttempt } from './attempt-log-store.ts';
import { columns, type SmsRow } from './sms-record-store.ts';

/** A text that is being processed. `claims` is a fencing token. */
export type ClaimedText = Pick<Sms, 'id'> & { claims: number };

export type DueText = Pick<
  Sms,
  | 'id'
  | 'organization_id'
  | 'from'
  | 'to'
  | 'body'
  | 'status'
  | 'provider'
  | 'provider_message_id'
  | 'requested_at'
  | 'sent_at'
  | 'segments'
  | 'scheduled_at'
> & {
  claims: number;
  /** Claims that began and have not ended, with this one: the others were lost with a process or a lease. */
  starts: number;
  attempts: number;
  /** When the carrier was called before; null when it is certain that the carrier did nothing. */
  was_handed_at: Date | null;
  is_suppressed: boolean;
  /** A text that waited may have lost its sender meanwhile, also to another organization. */
  has_sender: boolean;
  /** The messaging service or profile of the sender. */
  messaging_service_reference: string | null;
  origin: SmsRow['origin'];
  terms: SendingTerms | null;
  /** When it stopped to wait for its time or for an approval; null when it never did. */
  released_at: string | null;
};

type TextRef = { organization_id: string; id: string };
type OutcomeDetails = {
  provider_message_id?: string;
  next_attempt_at?: Date;
  admission?: string;
  /** How a failure was learned; default: the carrier reported it. */
  step?: SmsAttempt['step'];
  detail?: string;
};

type OutcomeDeps = {
  move: Mover;
  countOutcome: CountOutcome;
  /** The carrier said that the sender is not registered. */
  senderRefused(tx: Transaction, organization_id: string, e164: string): Promise<unknown>;
};

/** Moves a text to the outcome that the carrier reported; null when the move does not apply any more. */
async function moveTo(
  { move, countOutcome, senderRefused }: OutcomeDeps,
  tx: Transaction,
  text: TextRef,
  outcome: TextOutcome,
  now: Date,
  more: OutcomeDetails,
): Promise<Sms | null> {
  const moved = await move<typeof smsLifecycle, Sms>(tx, {
    lifecycle: smsLifecycle,
    table: 'sms_messages',
    organization_id: text.organization_id,
    id: text.id,
    trigger: outcome.status,
    set: {
      starts: 0,
      next_attempt_at: outcome.status === 'sent' ? (more.next_attempt_at ?? null) : null,
      ...(outcome.status !== 'failed' && { sent_at: sql`coalesce(sent_at, ${now})` }),
      ...(outcome.status === 'delivered' && { delivered_at: now }),
      ...('error_code' in outcome && { error_code: outcome.error_code, failed_at: now }),
      ...('error_code' in outcome &&
        more.admission === undefined && { attempt_log: withAttempt(failedAttempt(outcome, now, more)) }),
      ...(more.admission !== undefined && { admission: more.admission }),
      ...(more.provider_message_id && {
        provider_message_id: sql`coalesce(provider_message_id, ${more.provider_message_id})`,
      }),
    },
    returning: columns,
    event: ({ id, from, to, status, error_code }) => ({
      data: { id, from, to, status, error_code, occurred_at: now.toISOString() },
    }),
  });
  if (moved?.error_code === 'sender_not_registered')
    await senderRefused(tx, moved.organization_id, moved.from);
  if (moved) tx.afterCommit(() => countOutcome('sms', 'outbound', moved.status, moved.error_code));
  return moved;
}

const failedAttempt = (
  { status, error_code, provider_code = null }: Extract<TextOutcome, { error_code: unknown }>,
  now: Date,
  { step = 'report', detail }: OutcomeDetails,
): SmsAttempt => ({
  at: now.toISOString(),
  step,
  outcome: status,
  error_code,
  provider_code,
  ...(detail === undefined ? {} : { detail }),
});

export function dispatchStore(db: Database, deps: OutcomeDeps) {
  const outcome = (
    tx: Transaction,
    text: TextRef,
    to: TextOutcome,
    now: Date,
    more: OutcomeDetails,
  ): Promise<Sms | null> => moveTo(deps, tx, text, to, now, more);

  return {
    claim: (options: ClaimOptions) => claim(db, options),

    giveBackStarts: (texts: readonly ClaimedText[]) => giveBackStarts(db, texts),

    stopLooking,

    outcome,

    async nextDue(): Promise<Date | null> {
      const row = await db.maybe<{ next: Date | null }>(sql`
        select min(next_attempt_at) as next from sms_messages where next_attempt_at is not null`);
      return row?.next ?? null;
    },

    /** The carrier did nothing: the next attempt sends the text. */
    tryAgain: (text: DueText, at: Date, attempt?: SmsAttempt) =>
      db.run(sql`
        update sms_messages set handed_at = null, starts = 0, attempts = attempts + 1, next_attempt_at = ${at} ${logged(attempt)}
         where id = ${text.id} and claims = ${text.claims} and status = 'queued'`),

    hold,

    admitted,

    /** Makes texts due that the kill switch held back. */
    release: (now: Date) =>
      db.run(sql`
        update sms_messages set next_attempt_at = ${now}
         where next_attempt_at > ${now} and status = 'queued' and hold ->> 'kind' = 'kill_switch'`),

    /** It is unknown what the carrier did: the next attempt looks the text up first. */
    lookAgain: (text: DueText, at: Date | null, attempt?: SmsAttempt) =>
      db.run(sql`
        update sms_messages set starts = 0, attempts = attempts + 1, next_attempt_at = ${at} ${logged(attempt)}
         where id = ${text.id} and claims = ${text.claims}`),

    /** Which of the carrier's messages already belong to a stored text. */
    async known(provider: string, provider_message_ids: string[]): Promise<Set<string>> {
      const rows = await db.rows<{ provider_message_id: string }>(sql`
        select provider_message_id from sms_messages
         where provider = ${provider} and provider_message_id = any(${provider_message_ids})`);
      return new Set(rows.map((row) => row.provider_message_id));
    },

    /**
     * The text that a callback is about. A callback that names our id never matches a text with another message of the
     * carrier: not every carrier signs the address of a callback.
     */
    subject: (on: Queryable, provider: string, provider_message_id: string, sms_id: string | null) =>
      on.maybe<{ organization_id: string; id: string; to: string }>(sql`
        select organization_id, id, "to" from sms_messages
         where direction = 'outbound' and provider = ${provider}
           and (provider_message_id = ${provider_message_id}
                or (id = ${sms_id}::uuid and provider_message_id is null))
         limit 1`),

    fail: (
      tx: Transaction,
      text: TextRef,
      error_code: SmsErrorCode,
      now: Date,
      { provider_code = null, ...more }: FailureDetails = {},
    ) => outcome(tx, text, { status: 'failed', error_code, provider_code }, now, { step: 'send', ...more }),
  };
}
export type FailureDetails = { admission?: string; detail?: string; provider_code?: string | null };

const logged = (attempt: SmsAttempt | undefined) =>
  attempt ? sql`, attempt_log = ${withAttempt(attempt)}` : sql.empty;

export type DispatchStore = ReturnType<typeof dispatchStore>;

type ClaimOptions = {
  limit: number;
  /** Whether one of the texts may be claimed that a process did not survive. */
  with_lost: boolean;
  now: Date;
  lease_until: Date;
};

/**
 * Claims texts that are due, which ends their hold: one that waits for an approval is never due. The kill switch holds a text back
 * without restarting its time limit.
 */
const claim = (db: Database, { limit, with_lost, now, lease_until }: ClaimOptions) =>
  db.rows<DueText>(sql`
  with fresh as (
    select id, hold ->> 'kind' as waited_for from sms_messages where next_attempt_at <= ${now} and starts = 0
     order by next_attempt_at limit ${limit} for update skip locked),
  lost as (
    select id, hold ->> 'kind' as waited_for from sms_messages where next_attempt_at <= ${now} and starts > 0
     order by next_attempt_at limit ${with_lost ? 1 : 0} for update skip locked),
  due as (select * from fresh union all select * from lost)
  update sms_messages m
     set claims = claims + 1, starts = starts + 1, next_attempt_at = ${lease_until}, hold = null,
         released_at = case when due.waited_for <> 'kill_switch' then ${now} else released_at end
    from due where m.id = due.id
  returning m.id, organization_id, "from", "to", body, status, provider, provider_message_id,
            iso(requested_at) as requested_at, iso(sent_at) as sent_at, claims, starts, attempts, segments,
            iso(scheduled_at) as scheduled_at, iso(released_at) as released_at, terms,
            handed_at as was_handed_at, origin,
            origin <> 'keyword' and exists (
              select from sms_suppressions s where s.organization_id = m.organization_id
                 and s.channel = 'sms' and s.recipient = m."to") as is_suppressed,
            case when due.waited_for is null or origin = 'keyword' or is_shared_sender then true else
              exists (select from numbers n where n.organization_id = m.organization_id and n.e164 = m."from"
                         and n.provisioning_state = 'active')
              or exists (select from sms_sender_ids s where s.organization_id = m.organization_id
                            and s.custom_sender_id = m."from") end as has_sender,
            (select n.messaging_service_sid from numbers n where n.organization_id = m.organization_id
                and n.e164 = m."from" and n.provisioning_state = 'active') as messaging_service_reference`);

/** For texts whose work was cut or ended with an error: their claims were not lost. */
const giveBackStarts = (db: Database, texts: readonly ClaimedText[]) =>
  db.run(sql`
    update sms_messages m set starts = greatest(starts - 1, 0)
      from unnest(${texts.map(({ id }) => id)}::uuid[], ${texts.map(({ claims }) => claims)}::int[]) as c (id, claims)
     where m.id = c.id and m.claims = c.claims`);

/** Ends the questions about a text that is not queued any more. */
const stopLooking = (tx: Transaction, text: ClaimedText) =>
  tx.run(sql`
    update sms_messages set next_attempt_at = null, starts = 0
     where id = ${text.id} and claims = ${text.claims} and status = 'sent'`);

/** A rule holds the text back; the carrier was not called. False when another worker has the text. */
async function hold(
  tx: Transaction,
  text: DueText,
  { hold: why, terms, admission }: { hold: Hold; terms: SendingTerms | null; admission: string },
): Promise<boolean> {
  const touched = await tx.run(sql`
    update sms_messages set handed_at = null, starts = 0, hold = ${JSON.stringify(why)}, next_attempt_at = ${dueAt(why)},
           admission = ${admission}, terms = ${JSON.stringify(terms ?? text.terms ?? default_terms)}
     where id = ${text.id} and claims = ${text.claims} and status = 'queued'`);
  return touched > 0;
}

/**
 * Stores the decision that allows the hand-over, and that the carrier is called now: after a crash it may have the text. In the
 * transaction that counts and charges what was held, once. False when
 * another worker has claimed the text: it must not be sent here.
 */
async function admitted(
  on: Queryable,
  text: DueText,
  { admission, now, counted = [] }: { admission: string; now: Date; counted?: SendingTerms['counted'] },
): Promise<boolean> {
  const more = { is_counted_at_hand_over: false, ...(counted.length === 0 ? {} : { counted }) };
  const touched = await on.run(sql`
    update sms_messages
       set admission = ${admission}, handed_at = ${now}, terms = (terms::jsonb || ${JSON.stringify(more)}::jsonb)::json
     where id = ${text.id} and claims = ${text.claims} and status = 'queued'`);
  return touched > 0;
}
