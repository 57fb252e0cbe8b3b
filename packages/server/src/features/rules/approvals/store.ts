// The SQL of approvals.
import {
  type Approval,
  type ApprovalStatus,
  approvalLifecycle,
} from '@parley/contract/rules/approvals/approvals';
import type { ChargedItem } from '@parley/contract/rules/spending/funds';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import { table } from '../../../platform/db/table.ts';
import { insert, type UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { DecisionTerms } from './approvers/approvers.ts';

/** The rule as it was when the approval was requested, and what the price is computed from. */
export type ApprovalTerms = DecisionTerms & {
  expires_in_seconds: number;
  charges: { item: ChargedItem; quantity: number }[];
  /** The hash of each message of a batch, by the id of its record; null for a single record. */
  payloads: Record<string, string> | null;
  /** The credentials that the requester descends from, and its owner: they do not decide. Left out when there are none. */
  requester?: { lineage?: readonly string[]; owner_id?: string };
};
export type StoredApproval = Approval & { terms: ApprovalTerms };

const shown_columns = sql`id, organization_id, status, json_build_object('noun', noun, 'id', object_id) as object, payload_sha256,
  quoted_price_micros::float8 as quoted_price_micros, shown, messages, reasons, rule, policy_version::int as policy_version,
  requested_by, iso(requested_at) as requested_at, iso(expires_at) as expires_at, iso(decided_at) as decided_at, decided_by,
  decided_via, note, iso(content_erased_at) as content_erased_at`;
export const approval_columns = sql`${shown_columns}, terms`;

const list_cursors = cursors('approvals');

type ApprovalRow = Omit<StoredApproval, 'object'> & { noun: Approval['object']['noun']; object_id: string };

const approvals = table<'approvals', ApprovalRow, typeof approvalLifecycle>(
  'approvals',
  {
    organization_id: 'uuid',
    id: 'uuid',
    status: 'text',
    noun: 'text',
    object_id: 'uuid',
    payload_sha256: 'text',
    quoted_price_micros: 'bigint',
    shown: 'json',
    messages: 'json',
    reasons: 'json',
    rule: 'text',
    terms: 'json',
    policy_version: 'bigint',
    requested_by: 'json',
    requested_at: 'timestamptz',
    expires_at: 'timestamptz',
    content_erased_at: 'timestamptz',
  },
  { lifecycle: approvalLifecycle },
);

export const approvalStore = (db: Database, unitOfWork: UnitOfWork) => ({
  /** Locks the rules of the organization, so that concurrent requests count one after the other. */
  async countPending(tx: Transaction, organization_id: string): Promise<number> {
    await tx.run(sql`select from sending_rules where organization_id = ${organization_id} for update`);
    const row = await tx.maybe<{ count: number }>(sql`
      select count(*)::int as count from approvals where organization_id = ${organization_id} and status = 'pending'`);
    return row!.count;
  },

  /** False when it exists: the first attempt of a repeated transaction was committed. */
  async insert(tx: Transaction, _organization_id: string, approval: StoredApproval): Promise<boolean> {
    const { object, ...rest } = approval;
    const row: ApprovalRow = { ...rest, noun: object.noun, object_id: object.id };
    const [result] = await unitOfWork.commitIn(tx, [{ record: insert(approvals, row) }]);
    return result!.outcome === 'stored';
  },

  find: (organization_id: string, id: string, on: Queryable = db) =>
    on.maybe<StoredApproval>(sql`
      select ${approval_columns} from approvals where organization_id = ${organization_id} and id = ${id}`),

  /** The approvals of a record, oldest first. */
  ofObject: (organization_id: string, object_id: string) =>
    db.rows<StoredApproval>(sql`
      select ${approval_columns} from approvals
       where organization_id = ${organization_id} and object_id = ${object_id} order by id limit 10`),

  lock: (tx: Transaction, organization_id: string, id: string) =>
    tx.maybe<StoredApproval>(sql`
      select ${approval_columns} from approvals where organization_id = ${organization_id} and id = ${id} for update`),

  list: (organization_id: string, query: PageRequest & { status?: ApprovalStatus | undefined }) =>
    readPage<Approval>(db, list_cursors, query, {
      columns: shown_columns,
      from: sql`approvals`,
      where: sql`organization_id = ${organization_id} ${query.status ? sql`and status = ${query.status}` : sql.empty}`,
    }),

  async setQuote(tx: Transaction, organization_id: string, id: string, micros: number): Promise<void> {
    await tx.run(sql`
      update approvals set quoted_price_micros = ${micros}
       where organization_id = ${organization_id} and id = ${id} and status = 'pending'`);
  },

  /** Adds a message to the pending approval of a batch. */
  async addMessage(
    tx: Transaction,
    organization_id: string,
    { id, payload_sha256, quoted_price_micros, messages, terms }: StoredApproval,
  ): Promise<void> {
    await tx.run(sql`
      update approvals set payload_sha256 = ${payload_sha256}, quoted_price_micros = ${quoted_price_micros},
             messages = ${JSON.stringify(messages)}::json, terms = ${JSON.stringify(terms)}::json
       where organization_id = ${organization_id} and id = ${id} and status = 'pending'`);
  },

  due: (now: Date, limit: number) =>
    db.rows<{ organization_id: string; id: string }>(sql`
      select organization_id, id from approvals where status = 'pending' and expires_at <= ${now}
       order by expires_at limit ${limit}`),
});
export type ApprovalStore = ReturnType<typeof approvalStore>;

/** Without what only the service needs. */
export const presentApproval = ({ terms: _, ...approval }: StoredApproval): Approval => approval;
