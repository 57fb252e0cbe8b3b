// The SQL of calls: creating, reading and listing them.
import type { Call, CallEventKind } from '@parley/contract/call-records';
import type { SandboxMessage } from '@parley/contract/sandbox-outbox';
import { batched } from '../../platform/batch.ts';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';
import { claimKeys, type IdempotencyRow } from '../../platform/idempotency.ts';
import { oldestVoiceNumber } from '../numbers/index.ts';
import type { SpeechPlan } from './conversation/speech-plan.ts';

/** `base_url` is where recordings are asked for. */
export const callColumns = (
  base_url: string,
) => sql`id, organization_id, conversation_id, agent_id, direction, status,
  end_reason, "from", "to", provider, provider_call_id, answered_by, iso(requested_at) as requested_at,
  iso(started_at) as started_at, iso(ringing_at) as ringing_at, iso(answered_at) as answered_at,
  iso(ended_at) as ended_at, duration_seconds,
  case when recording_key is not null then ${base_url}::text || '/v1/calls/' || id || '/recording' end as recording_url,
  metadata`;

/** A call with what only the service knows about it. */
export type NewCall = Omit<Call, 'recording_url'> & {
  ring_timeout_seconds: number;
  is_recorded: boolean;
  plan: SpeechPlan;
  brain_key_sealed: string | null;
};

const list = cursors('calls');

/** A number chosen for a call as the oldest of its organization; null where there was none. */
type ChosenNumber = { e164: string | null; providers: string[] };
const begin_kind: CallEventKind = 'requested';
type InsertResult = 'made' | 'number_changed';

export function callStore(db: Database, baseUrl: () => string) {
  const columns = () => callColumns(baseUrl());

  type New = {
    call: NewCall;
    /** Of the entry that begins its timeline. */
    entry_id: string;
    key: IdempotencyRow | null;
    chosen: ChosenNumber | null;
  };

  /**
   * Each begins its timeline in the same statement. A call whose number was chosen from what no longer holds is left
   * out by it, which saves a look before each.
   */
  const insertAll = async (on: Queryable, group: New[]): Promise<InsertResult[]> => {
    const alike = Map.groupBy(group, ({ call, chosen }) =>
      chosen ? `${call.organization_id} ${chosen.e164}` : '',
    );
    const choices = [...alike.values()].map((same) => ({
      ids: same.map(({ call }) => call.id),
      is_named: same[0]!.chosen === null,
      organization_id: same[0]!.call.organization_id,
      e164: same[0]!.chosen?.e164,
    }));
    const entry_ids = group.map(({ entry_id }) => entry_id);
    const call_ids = group.map(({ call }) => call.id);
    const providers = group.find(({ chosen }) => chosen)?.chosen?.providers ?? [];
    const claims = group.flatMap(({ call, key }) => (key ? [{ record_id: call.id, row: key }] : []));
    const claimed =
      claims.length === 0 ? sql.empty : sql`, claimed as (${claimKeys(claims, sql`select id from made`)})`;
    const changed = await on.rows<{ id: string }>(sql`
      with choices as materialized (
        select c.ids, c.is_named or own.e164 is not distinct from c.e164 as holds
          from json_to_recordset(${JSON.stringify(choices)})
                 as c (ids uuid[], is_named boolean, organization_id uuid, e164 text)
          left join lateral (${oldestVoiceNumber(sql`c.organization_id`, providers)}) own on true),
      made as (
        insert into calls
        select g.* from json_populate_recordset(null::calls, ${JSON.stringify(group.map(({ call }) => call))}) g
         where exists (select from choices where holds and g.id = any(ids))
        returning id, organization_id, requested_at),
      begun as (
        insert into call_events (id, organization_id, call_id, kind, occurred_at, detail)
        select e.id, made.organization_id, made.id, ${begin_kind}::text, made.requested_at, '{}'
          from made join unnest(${entry_ids}::uuid[], ${call_ids}::uuid[]) e (id, call_id) on e.call_id = made.id) ${claimed}
      select unnest(ids) as id from choices where not holds`);
    const left_out = new Set(changed.map(({ id }) => id));
    return group.map(({ call }) => (left_out.has(call.id) ? 'number_changed' : 'made'));
  };
  // Calls that are asked for together are one commit. A call is much to write and much to read: in groups of this size the
  // database writes one while the next is read and the one before is answered.
  const insertGroup = batched<New, InsertResult>((group) => insertAll(db, group), { max_rows: 16 });

  return {
    /** What the sandbox was asked to dial, newest first. */
    sandboxOutbox: (organization_id: string, before: string | null, limit: number) =>
      db.rows<SandboxMessage>(sql`
        select id, 'call' as channel, id as resource_id, iso(started_at) as handed_at, coalesce("from", '') as "from",
               array["to"] as "to",
               json_build_object('ring_timeout_seconds', ring_timeout_seconds, 'is_recorded', is_recorded) as message
          from calls
         where organization_id = ${organization_id} and direction = 'outbound' and provider = 'sandbox' and started_at is not null
               ${before === null ? sql.empty : sql`and id < ${before}`}
         order by id desc limit ${limit}`),

    /** What must be counted with the call goes into a transaction of its own. */
    insert(
      _organization_id: string,
      row: New,
      admit: ((tx: Transaction) => Promise<void>) | null,
    ): Promise<InsertResult> {
      if (!admit) return insertGroup(row);
      return db.transaction(async (tx) => {
        const [result] = await insertAll(tx, [row]);
        if (result === 'made') await admit(tx);
        return result!;
      });
    },

    find: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<Call>(
        sql`select ${columns()} from calls where organization_id = ${organization_id} and id = ${id}`,
      ),

    list(
      organization_id: string,
      page: PageRequest & { status?: string | undefined; to?: string | undefined },
    ) {
      const conditions = [
        sql`organization_id = ${organization_id}`,
        ...(page.status ? [sql`status = ${page.status}`] : []),
        ...(page.to ? [sql`"to" = ${page.to}`] : []),
      ];
      return readPage(db, list, page, {
        columns: columns(),
        from: sql`calls`,
        where: sql.join(conditions, ' and '),
      });
    },

    countByStatus: (organization_id: string, from: Date) =>
      db.rows<{ status: Call['status']; count: number; duration_seconds: number }>(sql`
        select status, count(*)::int as count, coalesce(sum(duration_seconds), 0)::int as duration_seconds
          from calls where organization_id = ${organization_id} and requested_at >= ${from} group by status`),

    async recordingKey(organization_id: string, id: string): Promise<string | null | undefined> {
      const row = await db.maybe<{ recording_key: string | null }>(
        sql`select recording_key from calls where organization_id = ${organization_id} and id = ${id}`,
      );
      return row?.recording_key;
    },

    /** Of a call that is named by its carrier, not by its owner. */
    organizationOf: (id: string) =>
      db.rows<{ organization_id: string }>(sql`select organization_id from calls where id = ${id}`),

    /** Which of these belong to the organization, the oldest first. */
    async ownAmong(organization_id: string, ids: string[]): Promise<string[]> {
      const rows = await db.rows<{ id: string }>(sql`
        select id from calls where organization_id = ${organization_id} and id = any(${ids}) order by id`);
      return rows.map((row) => row.id);
    },

    /** Which of these are not over, over all organizations. */
    async openAmong(ids: string[]): Promise<Set<string>> {
      const rows = await db.rows<{ id: string }>(sql`
        select id from calls where id = any(${ids}) and status in ('queued', 'dialing', 'ringing', 'in_progress')`);
      return new Set(rows.map((row) => row.id));
    },
  };
}
export type CallStore = ReturnType<typeof callStore>;
