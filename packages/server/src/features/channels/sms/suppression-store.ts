// The SQL of suppressions: phones that an organization must not text.
import type { SmsSuppression } from '@parley/contract/channels/sms/sms';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { PartyHash } from '../../../platform/party-hash.ts';
import type { ConsentRevocations } from '../../rules/consents/index.ts';

/** A program added it with a request: it may also delete it. */
type ByProgram = { is_by_program: boolean };
const columns = sql`id, organization_id, recipient, channel, reason, source, iso(created_at) as created_at`;
const list = cursors('sms_suppressions');

export function suppressionStore(db: Database, partyHash: PartyHash) {
  /** A phone of an erased person is stored as a hash. */
  const keysOf = (organization_id: string, recipient: string) => [
    recipient,
    partyHash(organization_id, recipient),
  ];
  return {
    /** False when the phone is suppressed already. The first entry stays; one of a program becomes one that programs cannot delete. */
    add: async (on: Queryable, entry: SmsSuppression & Partial<ByProgram>): Promise<boolean> =>
      (await on.run(sql`
        insert into sms_suppressions as s
               (id, organization_id, recipient, channel, reason, source, created_at, is_by_program)
        values (${entry.id}, ${entry.organization_id}, ${entry.recipient}, ${entry.channel}, ${entry.reason},
                ${entry.source}, ${entry.created_at}, ${entry.is_by_program ?? false})
        on conflict (organization_id, channel, recipient) do update
           set is_by_program = false, created_at = excluded.created_at
         where s.is_by_program and not excluded.is_by_program`)) > 0,

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
      on.maybe<SmsSuppression & ByProgram>(sql`
        delete from sms_suppressions where organization_id = ${organization_id}
           and ${'id' in entry ? sql`id = ${entry.id}` : sql`channel = 'sms' and recipient = ${entry.recipient}`}
        returning ${columns}, is_by_program is true as is_by_program`),

    list: (organization_id: string, page: PageRequest) =>
      readPage<SmsSuppression>(db, list, page, {
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
