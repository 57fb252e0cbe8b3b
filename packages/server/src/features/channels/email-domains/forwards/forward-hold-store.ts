// The SQL of forward addresses that wait for a person.
import type { Queryable, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

export type ForwardHold = {
  organization_id: string;
  id: string;
  email_domain_id: string;
  address: string;
  address_key: string;
  approval_id: string;
};

const columns = sql`organization_id, id, email_domain_id, address, address_key, approval_id`;

/** For `f.address` in a query over email_domains: a person must approve it first. */
export const isHeld = sql`exists (
  select from forward_holds h where h.email_domain_id = email_domains.id and h.address = f.address)`;

export const waitingForwards = sql`coalesce((
  select json_agg(json_build_object('address', h.address, 'approval_id', h.approval_id) order by h.id)
    from forward_holds h where h.email_domain_id = email_domains.id), '[]'::json)`;

export const forwardHolds = {
  /** False when another request holds the same address already. */
  async insert(tx: Transaction, organization_id: string, hold: ForwardHold, now: Date): Promise<boolean> {
    const row = await tx.maybe(sql`
      insert into forward_holds (organization_id, id, email_domain_id, address, address_key, approval_id, created_at)
      values (${organization_id}, ${hold.id}, ${hold.email_domain_id}, ${hold.address}, ${hold.address_key},
              ${hold.approval_id}, ${now})
      on conflict do nothing returning id`);
    return row !== null;
  },

  find: (on: Queryable, organization_id: string, id: string) =>
    on.maybe<ForwardHold & { receives_at: string }>(sql`
      select h.organization_id, h.id, h.email_domain_id, h.address, h.address_key, h.approval_id,
             case when d.kind = 'custom' then d.domain else d.default_address end as receives_at
        from forward_holds h join email_domains d on d.organization_id = h.organization_id and d.id = h.email_domain_id
       where h.organization_id = ${organization_id} and h.id = ${id}`),

  ofDomain: (on: Queryable, organization_id: string, email_domain_id: string) =>
    on.rows<ForwardHold>(sql`
      select ${columns} from forward_holds
       where organization_id = ${organization_id} and email_domain_id = ${email_domain_id} order by id`),

  /** Null when it does not wait any more. */
  take: (tx: Transaction, organization_id: string, id: string) =>
    tx.maybe<ForwardHold>(sql`
      delete from forward_holds where organization_id = ${organization_id} and id = ${id} returning ${columns}`),

  async removeAddress(tx: Transaction, organization_id: string, hold: ForwardHold, now: Date): Promise<void> {
    await tx.run(sql`
      update email_domains set forward_to = array_remove(forward_to, ${hold.address}), updated_at = ${now}
       where organization_id = ${organization_id} and id = ${hold.email_domain_id}`);
  },
};
