// The SQL of the pool: numbers that belong to no organization. Each is bound to at most one call.
import type { PoolNumber } from '@parley/contract/channels/numbers/pool-numbers';
import type { Database, Queryable } from '../../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../../platform/db/page.ts';
import { sql } from '../../../../platform/db/sql.ts';

const columns = sql`id, provider, e164, country_code, number_type, capabilities, provisioning_state,
  false as is_dedicated, bound_call_id, iso(bound_at) as bound_at, iso(created_at) as created_at,
  iso(updated_at) as updated_at`;

const list = cursors('pool_numbers');

export type Binding = {
  id: string;
  provider: string;
  bound_call_id: string;
  bound_at: string;
  carrier_call_id: string | null;
};

export function poolStore(db: Database) {
  return {
    /** Null when the number is in the pool or held by an organization. */
    add: (number: PoolNumber) =>
      db.maybe<PoolNumber>(sql`
        insert into pool_numbers (id, provider, e164, country_code, number_type, capabilities, provisioning_state,
                                  created_at, updated_at)
        select id, provider, e164, country_code, number_type, capabilities, provisioning_state, created_at, updated_at
          from json_populate_record(null::pool_numbers, ${JSON.stringify(number)}) p
         where not exists (select from numbers n
                            where n.e164 = p.e164 and n.provisioning_state in ('pending', 'active'))
        on conflict (e164) do nothing returning ${columns}`),

    list: (page: PageRequest) =>
      readPage<PoolNumber>(db, list, page, { columns, from: sql`pool_numbers`, where: sql`true` }),

    setState: (id: string, state: string, now: Date) =>
      db.maybe<PoolNumber>(sql`
        update pool_numbers set provisioning_state = ${state}, updated_at = ${now}
         where id = ${id} returning ${columns}`),

    /** The number that the call already holds, else the one that has been free for longest; null when none is free. */
    async claim(on: Queryable, call_id: string, providers: string[], now: Date): Promise<PoolNumber | null> {
      const own = await on.maybe<PoolNumber>(
        sql`select ${columns} from pool_numbers where bound_call_id = ${call_id}`,
      );
      if (own) return own;
      return on.maybe<PoolNumber>(sql`
        update pool_numbers set bound_call_id = ${call_id}, bound_at = ${now}, carrier_call_id = null, updated_at = ${now}
         where id = (select id from pool_numbers
                      where provisioning_state = 'active' and bound_call_id is null and provider = any(${providers})
                      order by updated_at, id limit 1 for update skip locked)
        returning ${columns}`);
    },

    noteCarrierCall: (on: Queryable, call_id: string, carrier_call_id: string) =>
      on.run(
        sql`update pool_numbers set carrier_call_id = ${carrier_call_id} where bound_call_id = ${call_id}`,
      ),

    release: (on: Queryable, call_id: string, now: Date) =>
      on.run(sql`
        update pool_numbers set bound_call_id = null, bound_at = null, carrier_call_id = null, updated_at = ${now}
         where bound_call_id = ${call_id}`),

    boundBefore: (moment: Date) =>
      db.rows<Binding>(sql`
        select id, provider, bound_call_id, iso(bound_at) as bound_at, carrier_call_id
          from pool_numbers where bound_at < ${moment} order by bound_at`),
  };
}
export type PoolStore = ReturnType<typeof poolStore>;
