// The SQL of receive rules, of the settings for mail that fails a check, and of what was blocked.
import type { ReceiveChannel, ReceiveSettings } from '@parley/contract/rules/receive-rules';
import {
  type Database,
  isDuplicateIn,
  type Queryable,
  type Transaction,
} from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { StoredRule } from './rule.ts';

const columns = sql`id, organization_id, channel, scope_kind, scope_value, match_kind, match_value, applies_to, action, labels,
  note, hits::int as hits, iso(last_hit_at) as last_hit_at, iso(created_at) as created_at, iso(updated_at) as updated_at`;
const list = cursors('receive_rules');

export type Hit = { organization_id: string; rule_id: string };

export const receiveRuleStore = (db: Database) => ({
  /** All rules of an organization; there are few enough to keep them in memory. */
  all: (organization_id: string, on: Queryable = db) =>
    on.rows<StoredRule>(
      sql`select ${columns} from receive_rules where organization_id = ${organization_id} order by id`,
    ),

  page: (organization_id: string, page: PageRequest & { channel?: ReceiveChannel | undefined }) =>
    readPage<StoredRule>(db, list, page, {
      columns,
      from: sql`receive_rules`,
      where: sql`organization_id = ${organization_id} ${page.channel ? sql`and channel = ${page.channel}` : sql.empty}`,
    }),

  find: (organization_id: string, id: string) =>
    db.maybe<StoredRule>(
      sql`select ${columns} from receive_rules where organization_id = ${organization_id} and id = ${id}`,
    ),

  lock: (tx: Transaction, organization_id: string, id: string) =>
    tx.maybe<StoredRule>(sql`
      select ${columns} from receive_rules where organization_id = ${organization_id} and id = ${id} for update`),

  /** Serializes the creation of rules of an organization, so that the limit holds. */
  async lockAndCount(tx: Transaction, organization_id: string): Promise<number> {
    await tx.run(sql`select pg_advisory_xact_lock(hashtext('receive_rules'), hashtext(${organization_id}))`);
    const row = await tx.maybe<{ count: number }>(sql`
      select count(*)::int as count from receive_rules where organization_id = ${organization_id}`);
    return row!.count;
  },

  insert: (tx: Transaction, _organization_id: string, rule: StoredRule) =>
    orDuplicate(() =>
      tx.run(sql`
        insert into receive_rules
        select * from json_populate_record(null::receive_rules, ${JSON.stringify(rule)})`),
    ),

  replace: (tx: Transaction, organization_id: string, rule: StoredRule) =>
    orDuplicate(() =>
      tx.run(sql`
        update receive_rules
           set applies_to = ${rule.applies_to}, action = ${rule.action}, labels = ${rule.labels}::text[],
               note = ${rule.note}, updated_at = ${rule.updated_at}
         where organization_id = ${organization_id} and id = ${rule.id}`),
    ),

  delete: async (organization_id: string, id: string): Promise<boolean> =>
    (await db.run(sql`delete from receive_rules where organization_id = ${organization_id} and id = ${id}`)) >
    0,

  domainExists: async (organization_id: string, id: string): Promise<boolean> =>
    (await db.maybe(sql`
      select id from email_domains where organization_id = ${organization_id} and id = ${id}`)) !== null,

  ...settingsStore(db),
  recordHits,
  countBlock,

  /** Of all organizations. */
  forgetBlocks: (before: Date) => db.run(sql`delete from receive_blocks where announced_at < ${before}`),
});
export type ReceiveRuleStore = ReturnType<typeof receiveRuleStore>;

const settingsStore = (db: Database) => ({
  settings: (organization_id: string, on: Queryable = db) =>
    on.maybe<ReceiveSettings>(sql`
      select spam, unauthenticated, virus from receive_settings where organization_id = ${organization_id}`),

  saveSettings: (
    tx: Transaction,
    organization_id: string,
    change: { [Name in keyof ReceiveSettings]?: ReceiveSettings[Name] | undefined },
    defaults: ReceiveSettings,
  ) =>
    tx.run(sql`
      insert into receive_settings (organization_id, spam, unauthenticated, virus)
      values (${organization_id}, ${change.spam ?? defaults.spam},
              ${change.unauthenticated ?? defaults.unauthenticated}, ${change.virus ?? defaults.virus})
      on conflict (organization_id) do update
         set spam = coalesce(${change.spam ?? null}, receive_settings.spam),
             unauthenticated = coalesce(${change.unauthenticated ?? null}, receive_settings.unauthenticated),
             virus = coalesce(${change.virus ?? null}, receive_settings.virus)`),
});

async function orDuplicate(write: () => Promise<unknown>): Promise<'stored' | 'duplicate'> {
  try {
    await write();
    return 'stored';
  } catch (error) {
    if (isDuplicateIn(error, 'receive_rules')) return 'duplicate';
    throw error;
  }
}

/** Rows are locked in the order of their ids, so that two transactions cannot wait for each other. */
async function recordHits(on: Queryable, hits: readonly Hit[], now: Date): Promise<void> {
  if (hits.length === 0) return;
  await on.run(sql`
    with counted as (
      select organization_id, id, count(*)::int as hits
        from unnest(${hits.map((hit) => hit.organization_id)}::uuid[], ${hits.map((hit) => hit.rule_id)}::uuid[])
             as hit(organization_id, id) group by 1, 2),
    locked as (
      select r.organization_id, r.id, c.hits from receive_rules r
        join counted c on c.organization_id = r.organization_id and c.id = r.id
       order by r.organization_id, r.id for update of r)
    update receive_rules r set hits = r.hits + l.hits, last_hit_at = ${now}
      from locked l where r.organization_id = l.organization_id and r.id = l.id`);
}

/** Returns how many emails to announce now; null when there was an announcement since `since`. */
async function countBlock(
  tx: Transaction,
  { organization_id, rule_id }: Hit,
  sender: string,
  { now, since }: { now: Date; since: Date },
): Promise<number | null> {
  const row = await tx.maybe<{ not_announced: number; announced_at: Date }>(sql`
    insert into receive_blocks (organization_id, rule_id, sender, announced_at, not_announced)
    values (${organization_id}, ${rule_id}, ${sender}, to_timestamp(0), 1)
    on conflict (organization_id, rule_id, sender) do update set not_announced = receive_blocks.not_announced + 1
    returning not_announced, announced_at`);
  if (row!.announced_at > since) return null;
  await tx.run(sql`
    update receive_blocks set announced_at = ${now}, not_announced = 0
     where organization_id = ${organization_id} and rule_id = ${rule_id} and sender = ${sender}`);
  return row!.not_announced;
}
