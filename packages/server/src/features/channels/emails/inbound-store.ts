// The SQL that finds received emails for requests and waits. Emails in quarantine are not found before they are released.
import type { Database } from '../../../platform/db/database.ts';
import { inThreads } from '../../../platform/db/list-filter.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { provenSender } from '../../access/sender-proof/index.ts';
import { type EmailRow, email_columns } from './store.ts';

export type InboundFilter = {
  to?: string | undefined;
  from?: string | undefined;
  conversation_ids?: readonly string[] | undefined;
  /** Only what a person wrote, and only if the sender is proven. */
  is_reply?: boolean | undefined;
  since: Date;
};
type Page = { after: string | null; limit: number };

export const inboundStore = (db: Database) => ({
  /** The first matching email since a moment. */
  async first(organization_id: string, filter: InboundFilter): Promise<EmailRow | null> {
    const found = await inbound(db, organization_id, filter, { after: null, limit: 1 });
    return found[0] ?? null;
  },

  /** Matching emails in the order in which they came, after one of them. */
  page: (organization_id: string, filter: InboundFilter & Page) =>
    inbound(db, organization_id, filter, filter),
});

export type InboundStore = ReturnType<typeof inboundStore>;

/** An email that was released from quarantine counts as received at that moment. */
export const receivedAt = ({ released_at, requested_at }: EmailRow): string => released_at ?? requested_at;

/** Ids sort by time. Emails that were released since then have smaller ids, and are all in the first page. */
async function inbound(
  db: Database,
  organization_id: string,
  filter: InboundFilter,
  { after, limit }: Page,
): Promise<EmailRow[]> {
  const where = conditions(organization_id, filter);
  const first_id = firstIdAt(filter.since);
  const received = sql`
    select ${email_columns} from emails
     where ${where} and id >= ${first_id} ${after === null ? sql.empty : sql`and id > ${after}`}
     order by id limit ${limit}`;
  if (after !== null) return db.rows<EmailRow>(received);
  const rows = await db.rows<EmailRow>(sql`
    (${received}) union all (
      select ${email_columns} from emails where ${where} and id < ${first_id} and released_at >= ${filter.since}
       order by released_at limit ${limit})`);
  return rows.sort((one, other) => (receivedAt(one) < receivedAt(other) ? -1 : 1));
}

function conditions(organization_id: string, filter: InboundFilter): Sql {
  const of = [
    sql`organization_id = ${organization_id} and direction = 'inbound' and quarantine is null`,
    ...(filter.to
      ? [sql`lower(${filter.to}) in (select lower(unnest(to_addresses || cc_addresses || bcc_addresses)))`]
      : []),
    ...(filter.from ? [sql`lower(from_address) = lower(${filter.from})`] : []),
    ...inThreads(filter.conversation_ids),
    ...(filter.is_reply ? [sql`not coalesce(is_auto_reply, false) and ${provenSender()}`] : []),
  ];
  return sql.join(of, ' and ');
}
