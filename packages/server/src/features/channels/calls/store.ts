// The SQL of calls: create, read, list and count them.
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { SandboxMessage } from '@parley/contract/operations/sandbox/sandbox-outbox';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import {
  type FindIds,
  type ListFilter,
  readFilteredPage,
  timeConditions,
} from '../../../platform/db/list-filter.ts';
import { cursors, type PageRequest } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import type { Bucket, StatusCount } from '../../../platform/status-series.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { StoredPlan } from './conversation/speak/speech-plan.ts';
import { insertCall, type NewCallRecord } from './new-call-store.ts';

/** The columns of the public record; `base_url` is that of the API, for the recording's address. */
export const callColumns = (
  base_url: string,
) => sql`id, organization_id, conversation_id, agent_id, agent_version,
  coalesce(variables, '{}') as variables, direction, status,
  end_reason, "from", "to", provider, provider_call_id, answered_by, iso(requested_at) as requested_at,
  iso(started_at) as started_at, iso(ringing_at) as ringing_at, iso(answered_at) as answered_at,
  iso(ended_at) as ended_at, duration_seconds,
  case when recording_key is not null then ${base_url}::text || '/v1/calls/' || id || '/recording' end as recording_url,
  coalesce(result_status, 'none') as result_status,
  coalesce(result_request->'result_schema', plan->'result_schema') as result_schema, result, result_error, result_engine,
  evidence, summary, success, success_reason, transfer, handoff_data, parent_call_id,
  iso(content_erased_at) as content_erased_at, hold, iso(scheduled_at) as scheduled_at, metadata`;

const list = cursors('calls');

export type CallFilter = ListFilter & { status?: string | undefined; parent_call_id?: string | undefined };

export function callStore(db: Database, baseUrl: () => string, unitOfWork: UnitOfWork, findIds: FindIds) {
  const columns = () => callColumns(baseUrl());

  return {
    /** Calls that were handed over to the sandbox carrier, newest first. */
    sandboxOutbox: (organization_id: string, before: string | null, limit: number) =>
      db.rows<SandboxMessage>(sql`
        select id, 'call' as channel, id as resource_id, iso(started_at) as handed_at, coalesce("from", '') as "from",
               array["to"] as "to",
               json_build_object('ring_timeout_seconds', ring_timeout_seconds, 'is_recorded', is_recorded) as message, iso(content_erased_at) as content_erased_at
          from calls
         where organization_id = ${organization_id} and direction = 'outbound' and provider = 'sandbox' and provider_call_id is not null
               ${before === null ? sql.empty : sql`and id < ${before}`}
         order by id desc limit ${limit}`),

    insert: (_organization_id: string, call: NewCallRecord) => insertCall(unitOfWork, call),

    find: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<Call>(
        sql`select ${columns()} from calls where organization_id = ${organization_id} and id = ${id}`,
      ),

    list(organization_id: string, page: PageRequest & CallFilter) {
      const conditions = [
        sql`organization_id = ${organization_id}`,
        page.parent_call_id ? sql`parent_call_id = ${page.parent_call_id}` : sql`parent_call_id is null`,
        ...(page.status ? [sql`status = ${page.status}`] : []),
        ...(page.to ? [sql`"to" = ${page.to}`] : []),
        ...(page.from ? [sql`"from" = ${page.from}`] : []),
        ...timeConditions(page),
      ];
      // The table finds a recipient by its own index.
      const { to: _, ...filter } = page;
      const query = { columns: columns(), from: sql`calls`, where: sql.join(conditions, ' and ') };
      return readFilteredPage<Call>(db, list, page, query, {
        organization_id,
        noun: 'call',
        findIds,
        filter,
      });
    },

    countByStatus: (organization_id: string, { from, bucket }: { from: Date; bucket: Bucket }) =>
      db.rows<StatusCount<Call['status']> & { duration_seconds: number }>(sql`
        select date_trunc(${bucket}, requested_at, 'UTC') as bucket_start, status, count(*)::int as count,
               coalesce(sum(duration_seconds), 0)::int as duration_seconds
          from calls
         where organization_id = ${organization_id} and id >= ${firstIdAt(from)} and requested_at >= ${from}
           and parent_call_id is null
         group by 1, 2`),

    ...planReads(db),

    async recordingKey(organization_id: string, id: string): Promise<string | null | undefined> {
      const row = await db.maybe<{ recording_key: string | null }>(
        sql`select recording_key from calls where organization_id = ${organization_id} and id = ${id}`,
      );
      return row?.recording_key;
    },

    /** For events of the sandbox phone, which have only the call's id. */
    organizationOf: (id: string) =>
      db.rows<{ organization_id: string }>(sql`select organization_id from calls where id = ${id}`),

    /** The ids that belong to the organization, oldest first. */
    async ownAmong(organization_id: string, ids: string[]): Promise<string[]> {
      const rows = await db.rows<{ id: string }>(sql`
        select id from calls where organization_id = ${organization_id} and id = any(${ids}) order by id`);
      return rows.map((row) => row.id);
    },

    /** The ids of calls that have not ended, of all organizations. */
    async openAmong(ids: string[]): Promise<Set<string>> {
      const rows = await db.rows<{ id: string }>(sql`
        select id from calls where id = any(${ids}) and status in ('queued', 'dialing', 'ringing', 'in_progress')`);
      return new Set(rows.map((row) => row.id));
    },
  };
}
export type CallStore = ReturnType<typeof callStore>;

/** What was planned for a call. */
const planReads = (db: Database) => ({
  /** Whether a person approved it before it was placed. */
  wasApproved: async (organization_id: string, id: string): Promise<boolean> =>
    (await db.maybe(sql`
      select from calls where organization_id = ${organization_id} and id = ${id}
         and terms ->> 'approval_id' is not null`)) !== null,

  /** How the agent of a call in progress speaks. */
  async plan(organization_id: string, id: string): Promise<StoredPlan | null> {
    const row = await db.maybe<{ plan: StoredPlan }>(
      sql`select plan from calls where organization_id = ${organization_id} and id = ${id}`,
    );
    return row?.plan ?? null;
  },
});
