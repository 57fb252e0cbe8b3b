// The SQL of suppressions: phones that an organization must not text.
import type { SmsSuppression } from '@parley/contract/sms';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Ids } from '../../platform/ids.ts';
import type { PartyHash } from '../../platform/party-hash.ts';
import type { ConsentRevocations } from '../consents/index.ts';

const columns = sql`id, organization_id, recipient, channel, reason, source, iso(created_at) as created_at`;
const list = cursors('sms_suppressions');

export function suppressionStore(db: Database, partyHash: PartyHash) {
  /** A phone of an erased person is stored as a hash. */
  const keysOf = (organization_id: string, recipient: string) => [
    recipient,
    partyHash(organization_id, recipient),
  ];
  return {
    /** False when the phone is suppressed already; the first entry stays. */
    add: async (on: Queryable, entry: SmsSuppression): Promise<boolean> =>
      (await on.run(sql`
        insert into sms_suppressions (id, organization_id, recipient, channel, reason, source, created_at)
        values (${entry.id}, ${entry.organization_id}, ${entry.recipient}, ${entry.channel}, ${entry.reason},
                ${entry.source}, ${entry.created_at})
        on conflict (organization_id, channel, recipient) do nothing`)) > 0,

    find: (organization_id: string, recipient: string, on: Queryable = db) =>
      on.maybe<SmsSuppression>(sql`
        select ${columns} from sms_suppressions
         where organization_id = ${organization_id} and channel = 'sms'
           and recipient = any(${keysOf(organization_id, recipient)}) limit 1`),

    /** False when the phone was not suppressed. */
    lift: async (on: Queryable, organization_id: string, recipient: string): Promise<boolean> =>
      (await on.run(sql`
        delete from sms_suppressions
         where organization_id = ${organization_id} and channel = 'sms'
           and recipient = any(${keysOf(organization_id, recipient)})`)) > 0,

    /** Null when it does not exist. */
    delete: (on: Queryable, organization_id: string, entry: { id: string } | { recipient: string }) =>
      on.maybe<SmsSuppression>(sql`
        delete from sms_suppressions where organization_id = ${organization_id}
           and ${'id' in entry ? sql`id = ${entry.id}` : sql`channel = 'sms' and recipient = ${entry.recipient}`}
        returning ${columns}`),

    list: (organization_id: string, page: PageRequest) =>
      readPage(db, list, page, {
        columns,
        from: sql`sms_suppressions`,
        where: sql`organization_id = ${organization_id}`,
      }),
  };
}
export type SuppressionStore = ReturnType<typeof suppressionStore>;

/** A carrier refused a text because its recipient opted out there, which counts like a STOP that we received. */
export async function suppressRefused(
  {
    suppressions,
    revocations,
    ids,
    clock,
  }: {
    suppressions: Pick<SuppressionStore, 'add'>;
    revocations: Pick<ConsentRevocations, 'revoke'>;
    ids: Ids;
    clock: Clock;
  },
  tx: Transaction,
  { id: item_id, organization_id, to: recipient }: { id: string; organization_id: string; to: string },
): Promise<void> {
  await suppressions.add(tx, {
    id: ids.next(),
    organization_id,
    recipient,
    channel: 'sms',
    reason: 'carrier_refusal',
    source: 'carrier',
    created_at: clock.now().toISOString(),
  });
  const revoked_by = { kind: 'keyword', item_id } as const;
  await revocations.revoke(tx, { organization_id, recipient, channel: 'sms', revoked_by });
}
