// The SQL of texts: storing, reading and listing them.

import type { Sms } from '@parley/contract/channels/sms/sms';
import type { SandboxMessage } from '@parley/contract/operations/sandbox/sandbox-outbox';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import {
  type FindIds,
  inThreads,
  type ListFilter,
  readFilteredPage,
  timeConditions,
} from '../../../platform/db/list-filter.ts';
import { cursors, type PageRequest } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { IdempotencyRow } from '../../../platform/idempotency.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import type { PartyHash } from '../../../platform/party-hash.ts';
import type { Bucket, StatusCount } from '../../../platform/status-series.ts';
import { insert, type UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { Condition } from '../../rules/admission/index.ts';
import type { SenderQuery } from './sending/sender-store.ts';
import {
  columns,
  notSuppressed,
  type SmsRow,
  senderUnchanged,
  sms_messages,
} from './sending/sms-record-store.ts';

export type SmsFilter = ListFilter & { status?: string | undefined };

export type NewSms = {
  row: SmsRow;
  /** The response for the Idempotency-Key. */
  answer?: IdempotencyRow | null;
  /** The cached facts that the sender was chosen from; null for a sender that needs no facts. */
  sender?: SenderQuery | null;
  /** Of the admission decision. */
  conditions?: readonly Condition[];
  /** May refuse the text; runs in the transaction that stores it. */
  guard?: ((tx: Transaction) => Promise<void>) | null | undefined;
};

const list = cursors('sms');

type Deps = {
  db: Database;
  unitOfWork: UnitOfWork;
  /** Phones of a carrier's sandbox that may be texted again after a STOP. */
  isRepeatable(sms: { provider: string; to: string }): boolean;
  findIds: FindIds;
  partyHash: PartyHash;
};

export function smsStore(deps: Deps) {
  const { db } = deps;
  return {
    insert: (_organization_id: string, sms: NewSms) => insertSms(deps, sms),

    find: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<Sms>(
        sql`select ${columns} from sms_messages where organization_id = ${organization_id} and id = ${id}`,
      ),

    list: (organization_id: string, page: PageRequest & SmsFilter) => listSms(deps, organization_id, page),

    /** Our number in the newest text of these threads; null when it has no texts. */
    async ownNumberOf(organization_id: string, thread_ids: readonly string[]): Promise<string | null> {
      const row = await db.maybe<{ ours: string }>(sql`
        select case direction when 'inbound' then "to" else "from" end as ours from sms_messages
         where organization_id = ${organization_id} and conversation_id = any(${thread_ids}::uuid[])
         order by id desc limit 1`);
      return row?.ours ?? null;
    },

    sandboxOutbox: (organization_id: string, before: string | null, limit: number) =>
      sandboxOutbox(db, organization_id, before, limit),

    countByStatus: (organization_id: string, { from, bucket }: { from: Date; bucket: Bucket }) =>
      db.rows<StatusCount<Sms['status']>>(sql`
        select date_trunc(${bucket}, requested_at, 'UTC') as bucket_start, status, count(*)::int as count
          from sms_messages
         where organization_id = ${organization_id} and id >= ${firstIdAt(from)} and requested_at >= ${from}
         group by 1, 2`),

    firstInbound: async (organization_id: string, of: InboundFilter) =>
      (await inbound(db, organization_id, of, { after: null, limit: 1 }))[0] ?? null,

    /** Matching inbound texts after one of them, oldest first. */
    inboundAfter: (
      organization_id: string,
      of: InboundFilter,
      page: { after: string | null; limit: number },
    ) => inbound(db, organization_id, of, page),
  };
}
export type SmsStore = ReturnType<typeof smsStore>;

/** `duplicate`: the text that this one answers already has an answer. */
async function insertSms(
  { unitOfWork, isRepeatable, partyHash }: Deps,
  { row, answer = null, sender, conditions = [], guard }: NewSms,
): Promise<
  'stored' | 'duplicate' | 'suppressed' | 'sender_changed' | 'consent_not_recorded' | 'not_counted'
> {
  const { organization_id, to: recipient } = row;
  const facts = sender && {
    organization_id,
    named: sender.named,
    custom_sender_id: sender.records.custom_sender_id,
    own_e164: sender.records.own_number?.e164 ?? null,
    named_e164: sender.records.named_number?.e164 ?? null,
    is_unregistered: (sender.records.named_number ?? sender.records.own_number)?.is_unregistered ?? false,
  };
  const record = insert(sms_messages, row, [
    ...(facts ? [senderUnchanged(facts)] : []),
    ...(isRepeatable(row)
      ? []
      : [
          notSuppressed({
            organization_id,
            recipient,
            recipient_hash: partyHash(organization_id, recipient),
          }),
        ]),
    ...conditions,
  ]);
  const result = await unitOfWork.commit({ record, answer, guard });
  if (result.outcome === 'refused') return result.by;
  return result.outcome === 'stored' ? 'stored' : 'duplicate';
}

function listSms({ db, findIds }: Deps, organization_id: string, page: PageRequest & SmsFilter) {
  const conditions = [
    sql`organization_id = ${organization_id}`,
    ...(page.status ? [sql`status = ${page.status}`] : []),
    ...(page.direction ? [sql`direction = ${page.direction}`] : []),
    ...(page.to ? [sql`"to" = ${page.to}`] : []),
    ...(page.from ? [sql`"from" = ${page.from}`] : []),
    ...inThreads(page.conversation_ids),
    ...timeConditions(page),
  ];
  // The table finds a recipient by its own index.
  const { to: _, ...filter } = page;
  const query = { columns, from: sql`sms_messages`, where: sql.join(conditions, ' and ') };
  return readFilteredPage<Sms>(db, list, page, query, { organization_id, noun: 'sms', findIds, filter });
}

/** Texts that were handed to the sandbox carrier, newest first. */
const sandboxOutbox = (db: Database, organization_id: string, before: string | null, limit: number) =>
  db.rows<SandboxMessage>(sql`
    select id, 'sms' as channel, id as resource_id, iso(coalesce(sent_at, failed_at, requested_at)) as handed_at, "from",
           array["to"] as "to", json_build_object('body', body, 'segments', segments, 'encoding', encoding) as message,
           iso(content_erased_at) as content_erased_at
      from sms_messages
     where organization_id = ${organization_id} and direction = 'outbound' and provider = 'sandbox' and status not in ('queued', 'canceled')
           -- A text that a rule stopped was never handed over.
           and (admission is null or admission like '{"outcome":"allow"%')
           ${before === null ? sql.empty : sql`and id < ${before}`}
     order by id desc limit ${limit}`);

type InboundFilter = {
  to?: string | undefined;
  from?: string | undefined;
  conversation_ids?: readonly string[] | undefined;
  since: Date;
};

/** The oldest inbound texts since a time; ids sort by time. */
function inbound(
  db: Database,
  organization_id: string,
  of: InboundFilter,
  { after, limit }: { after: string | null; limit: number },
): Promise<Sms[]> {
  const to = of.to === undefined ? sql.empty : sql`and "to" = ${of.to}`;
  const from = of.from === undefined ? sql.empty : sql`and "from" = ${of.from}`;
  const among = of.conversation_ids
    ? sql`and conversation_id = any(${of.conversation_ids}::uuid[])`
    : sql.empty;
  return db.rows<Sms>(sql`
    select ${columns} from sms_messages
     where organization_id = ${organization_id} and direction = 'inbound' and blocked_by is null and id >= ${firstIdAt(of.since)} ${to} ${from}
           ${among} ${after === null ? sql.empty : sql`and id > ${after}`}
     order by id limit ${limit}`);
}
