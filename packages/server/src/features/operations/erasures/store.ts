// The SQL of erasures: their rows, whose records they are about, and which people a replay finds.
import type { Erasure } from '@parley/contract/operations/erasures';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { ErasureCounts } from '../../../platform/personal-data.ts';

export type Counts = ErasureCounts;
export type ErasureRow = Omit<Erasure, 'parties' | 'dry_run' | 'names' | 'display_names' | 'settings'> & {
  person_sealed: string | null;
  reached: string | null;
};
export type NewErasure = Pick<ErasureRow, 'id' | 'contact_id' | 'keep_suppression' | 'party_hashes'> & {
  person_sealed: string;
  step: string;
  now: Date;
};

const status = sql`case when done_at is not null then 'done' when failed_at is not null then 'failed'
  when started_at is not null then 'running' else 'pending' end as status`;
const columns = sql`id, organization_id, ${status}, contact_id, keep_suppression, party_hashes, counts,
  case when done_at is null then step end as step, iso(created_at) as created_at, iso(started_at) as started_at,
  iso(done_at) as done_at`;
const list = cursors('erasures');

export const erasureStore = (db: Database) => ({
  insert: (tx: Transaction, organization_id: string, erasure: NewErasure) =>
    tx.run(sql`
      insert into erasures (organization_id, id, contact_id, keep_suppression, party_hashes, person_sealed, step, counts, created_at)
      values (${organization_id}, ${erasure.id}, ${erasure.contact_id}, ${erasure.keep_suppression},
              ${[...erasure.party_hashes]}, ${erasure.person_sealed}, ${erasure.step}, '{}', ${erasure.now})`),

  find: (organization_id: string, id: string) =>
    db.maybe<ErasureRow>(sql`
      select ${columns}, person_sealed, reached from erasures where organization_id = ${organization_id} and id = ${id}`),

  /** The list does not open the sealed parties. */
  list: (organization_id: string, page: PageRequest) =>
    readPage<Erasure>(db, list, page, {
      columns: sql`${columns}, false as dry_run, null as parties, null as names, null as display_names, null as settings`,
      from: sql`erasures`,
      where: sql`organization_id = ${organization_id}`,
    }),

  begin: (organization_id: string, id: string, now: Date) =>
    db.run(sql`
      update erasures set started_at = coalesce(started_at, ${now}), failed_at = null
       where organization_id = ${organization_id} and id = ${id}`),

  /** Saves how far it is. Counts are added to those of earlier steps. */
  async advance(
    on: Queryable,
    organization_id: string,
    id: string,
    { step, reached, counts }: { step: string; reached: string | null; counts: Counts },
  ): Promise<void> {
    await on.run(sql`
      update erasures set step = ${step}, reached = ${reached},
             counts = (counts::jsonb || coalesce((
               select jsonb_object_agg(added.key, added.value::int + coalesce((counts ->> added.key)::int, 0))
                 from json_each_text(${JSON.stringify(counts)}::json) added), '{}'))::json
       where organization_id = ${organization_id} and id = ${id}`);
  },

  savePerson: (organization_id: string, id: string, person_sealed: string) =>
    db.run(sql`
      update erasures set person_sealed = ${person_sealed} where organization_id = ${organization_id} and id = ${id}`),

  /** Forgets who it was. False when another process did it first. */
  async finish(tx: Transaction, organization_id: string, id: string, now: Date): Promise<boolean> {
    await tx.run(
      sql`delete from erasure_items where organization_id = ${organization_id} and erasure_id = ${id}`,
    );
    return (
      (await tx.run(sql`
        update erasures set done_at = ${now}, person_sealed = null, reached = null, failed_at = null
         where organization_id = ${organization_id} and id = ${id} and done_at is null`)) > 0
    );
  },

  fail: (organization_id: string, id: string, now: Date) =>
    db.run(sql`
      update erasures set failed_at = ${now}
       where organization_id = ${organization_id} and id = ${id} and done_at is null`),

  contactsOf,
  ownParties,
  allParties,
});
export type ErasureStore = ReturnType<typeof erasureStore>;

export type PersonContact = {
  id: string;
  kind: string;
  name: string;
  phone_e164: string | null;
  email: string | null;
};

/** The contact with this id, or those with one of these numbers and addresses. */
function contactsOf(
  on: Queryable,
  organization_id: string,
  { contact_id, keys }: { contact_id: string | null; keys: readonly string[] },
): Promise<PersonContact[]> {
  return on.rows<PersonContact>(sql`
    select id, kind, name, phone_e164, email from contacts
     where organization_id = ${organization_id}
       and (id = ${contact_id}::uuid or phone_e164 = any(${[...keys]}) or email_key = any(${[...keys]}))`);
}

/** The ones of these that the organization itself sends from: they are not a person. */
async function ownParties(
  on: Queryable,
  organization_id: string,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await on.rows<{ party: string }>(sql`
    select p.party from unnest(${[...keys]}::text[]) p(party)
     where exists (select from numbers n where n.organization_id = ${organization_id} and n.e164 = p.party
                      and n.provisioning_state in ('pending', 'active'))
        or exists (select from email_domains d where d.organization_id = ${organization_id}
                      and (lower(d.default_address) = p.party
                           or (d.kind = 'custom' and split_part(p.party, '@', 2) = d.domain)))`);
  return rows.map(({ party }) => party);
}

/** Every number and address that the organization knows, each once. `recorded`: those in records. */
async function allParties(
  on: Queryable,
  organization_id: string,
  recorded: readonly Sql[],
): Promise<string[]> {
  const own = sql`where organization_id = ${organization_id}`;
  const rows = await on.rows<{ party: string }>(
    sql.replanned(sql`
      ${sql.join(recorded, ' union ')}
      union select phone_e164 from contacts ${own} and phone_e164 is not null
      union select email from contacts ${own} and email is not null
      union select recipient from consents ${own}`),
  );
  return rows.map(({ party }) => party);
}
