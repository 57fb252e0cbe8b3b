// The SQL that counts records against their budgets in the statement that stores them.
import { budget_thresholds } from '@parley/contract/rules/spending/budget-events';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { batchCheck, type CheckedValue } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { UseRef } from './budget.ts';

/** What one record adds to a counter. `needed_micros` must fit, but only `micros` are added. */
export type AskedUse = UseRef & { count: number; micros: number; needed_micros: number };

const passes = (threshold: number, max: Sql, used: Sql, added: Sql): Sql => {
  const share = sql.raw(String(threshold));
  return sql`(100 * ${used} < ${share} * ${max} and 100 * (${used} + ${added}) >= ${share} * ${max})`;
};

/** Whether a part of a budget stays within its limit and on the same side of every threshold. */
const isPartQuiet = (max: Sql, used: Sql, added: Sql): Sql => {
  const passed = budget_thresholds.map((threshold) => passes(threshold, max, used, added));
  return sql`(${max} is null or (${max} > 0 and ${used} + ${added} <= ${max} and not (${sql.join(passed, ' or ')})))`;
};

/** The same for a locked row `s` of budget_uses, its budget `b` and what is to be added, `a`. */
export const is_quiet = sql`(${isPartQuiet(sql`b.max_count`, sql`s.used_count`, sql`a.count`)}
  and ${isPartQuiet(sql`b.max_amount_micros`, sql`s.used_micros`, sql`a.micros`)}
  and (b.max_amount_micros is null or s.used_micros + a.needed_micros <= b.max_amount_micros))`;

type Value = { uses: readonly AskedUse[] };
type Counter = AskedUse & { position: number };

/** Every counter once, with the sums of all records of the batch, and the positions of the counters of each value. */
function countersOf(values: readonly CheckedValue<Value>[]) {
  const counters = new Map<string, Counter>();
  const positions = values.map(({ value, records }) =>
    value.uses.map((use) => {
      const key = `${use.budget_id} ${use.window_start}`;
      let counter = counters.get(key);
      if (!counter) {
        counter = { ...use, count: 0, micros: 0, needed_micros: 0, position: counters.size };
        counters.set(key, counter);
      }
      counter.count += use.count * records;
      counter.micros += use.micros * records;
      counter.needed_micros += use.needed_micros * records;
      return counter.position;
    }),
  );
  return { counters: [...counters.values()], positions };
}

/**
 * The record and its count are one commit. A value is counted only when all its records, with the others of the batch, fit and
 * pass no threshold: otherwise they are decided one by one, and an event may be needed. The rows are locked in the order
 * of their keys, as in `lockUses`.
 */
export const countedByBudgets = batchCheck({
  refusal: 'not_counted',
  query(values: readonly CheckedValue<Value>[]) {
    const { counters, positions } = countersOf(values);
    const numbered = positions.map((own, index) => ({ number: index + 1, positions: own }));
    return sql`
      with locked as (
        select a.position, ${is_quiet} as is_quiet
          from json_to_recordset(${JSON.stringify(counters)}) as a (position int, organization_id uuid, budget_id uuid,
                 window_start timestamptz, count bigint, micros bigint, needed_micros bigint)
               join budget_uses s using (organization_id, budget_id, window_start) join budgets b on b.id = s.budget_id
         order by s.organization_id, s.budget_id, s.window_start for update of s
      )
      select number, positions <@ array(select position from locked where is_quiet) as holds
        from json_to_recordset(${JSON.stringify(numbered)}) as v (number int, positions int[])`;
  },
  count(values, stored) {
    const rows = values.flatMap(({ value }, index) =>
      value.uses.map((use) => ({ number: index + 1, ...use })),
    );
    return {
      counted_by_budgets: sql`
        update budget_uses s set used_count = s.used_count + added.count, used_micros = s.used_micros + added.micros
          from (
            select organization_id, budget_id, window_start, sum(a.count * stored.records)::bigint as count,
                   sum(a.micros * stored.records)::bigint as micros
              from json_to_recordset(${JSON.stringify(rows)}) as a (number int, organization_id uuid, budget_id uuid,
                     window_start timestamptz, count bigint, micros bigint)
                   join (${stored}) stored using (number)
             group by 1, 2, 3) added
         where s.organization_id = added.organization_id and s.budget_id = added.budget_id
           and s.window_start = added.window_start`,
    };
  },
});
