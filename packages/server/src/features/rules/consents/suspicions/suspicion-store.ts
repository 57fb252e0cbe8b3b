// The SQL of suspected revocations.
import type {
  ConsentChannel,
  SuspectedRevocation,
  SuspicionDecision,
} from '@parley/contract/rules/people/consents';
import type { Database, Queryable, Transaction } from '../../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../../platform/db/page.ts';
import { sql } from '../../../../platform/db/sql.ts';

const columns = sql`id, recipient, channel, item_id, iso(created_at) as suspected_at, decision,
  iso(decided_at) as decided_at, decided_by`;
const suspicion_cursors = cursors('suspected_revocations');

export type NewSuspicion = Pick<
  SuspectedRevocation,
  'id' | 'recipient' | 'channel' | 'item_id' | 'suspected_at'
> & { organization_id: string; recipient_key: string };

export const suspicionStore = (db: Database) => ({
  /** False, and nothing is stored, if one without a decision exists for the recipient and channel. */
  add: async (tx: Transaction, each: NewSuspicion): Promise<boolean> =>
    (await tx.run(sql`
      insert into suspected_revocations (organization_id, id, recipient, recipient_key, channel, item_id, created_at)
      values (${each.organization_id}, ${each.id}, ${each.recipient}, ${each.recipient_key}, ${each.channel},
              ${each.item_id}, ${each.suspected_at})
      on conflict (organization_id, recipient_key, channel) where decision is null do nothing`)) > 0,

  async isOpen(organization_id: string, recipient_key: string, channel: ConsentChannel): Promise<boolean> {
    const row = await db.maybe<{ is_open: boolean }>(sql`
      select exists (select from suspected_revocations where organization_id = ${organization_id}
        and recipient_key = ${recipient_key} and channel = ${channel} and decision is null) as is_open`);
    return row!.is_open;
  },

  list: (organization_id: string, query: PageRequest) =>
    readPage<SuspectedRevocation>(db, suspicion_cursors, query, {
      columns,
      from: sql`suspected_revocations`,
      where: sql`organization_id = ${organization_id} and decision is null`,
    }),

  find: (organization_id: string, id: string, on: Queryable = db) =>
    on.maybe<SuspectedRevocation>(sql`
      select ${columns} from suspected_revocations where organization_id = ${organization_id} and id = ${id}`),

  /** Null when it was decided before, or does not exist. */
  decide: (
    tx: Transaction,
    organization_id: string,
    id: string,
    { decision, decided_by, now }: { decision: SuspicionDecision; decided_by: string; now: Date },
  ) =>
    tx.maybe<SuspectedRevocation>(sql`
      update suspected_revocations set decision = ${decision}, decided_at = ${now}, decided_by = ${decided_by}
       where organization_id = ${organization_id} and id = ${id} and decision is null returning ${columns}`),

  /** Ends open suspicions, because the person has revoked the consent explicitly. */
  async closeFor(
    tx: Transaction,
    organization_id: string,
    {
      recipient_key,
      channels,
      now,
    }: { recipient_key: string; channels: readonly ConsentChannel[]; now: Date },
  ): Promise<void> {
    await tx.run(sql`
      update suspected_revocations set decision = 'revoked', decided_at = ${now}
       where organization_id = ${organization_id} and recipient_key = ${recipient_key}
         and channel = any(${[...channels]}) and decision is null`);
  },
});
export type SuspicionStore = ReturnType<typeof suspicionStore>;
