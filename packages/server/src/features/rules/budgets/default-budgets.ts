// Default budgets: every program that a person connects, and every key of a device login, starts with them.
import type { BudgetCreate, BudgetSubject } from '@parley/contract/rules/spending/budgets';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { AuditLog } from '../../access/audit/index.ts';
import type { LimitedCredential } from '../../access/identity/index.ts';
import type { SendingRulesFeature } from '../sending-rules/index.ts';
import { newBudget } from './service.ts';
import type { BudgetStore } from './store.ts';

/** Per day; null: no such limit. */
export type DefaultLimits = {
  max_count: number | null;
  max_amount_micros: number | null;
  max_numbers: number | null;
};
export type DefaultBudgetDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  store: BudgetStore;
  audit: AuditLog;
  rules: Pick<SendingRulesFeature, 'noteBudgets'>;
  defaults: DefaultLimits;
  changed(organization_id: string): void;
};

const budgetsOf = (
  { max_count, max_amount_micros, max_numbers }: DefaultLimits,
  subject: BudgetSubject,
): BudgetCreate[] => [
  ...(max_count === null && max_amount_micros === null
    ? []
    : [{ subject, channel: 'all' as const, window: 'day' as const, max_count, max_amount_micros }]),
  ...(max_numbers === null
    ? []
    : [{ subject, channel: 'numbers' as const, window: 'day' as const, max_count: max_numbers }]),
];

/** Does nothing when the credential got them before: a person may have changed or deleted them since. */
export async function addDefaultBudgets(
  deps: DefaultBudgetDeps,
  tx: Transaction,
  { organization_id, user_id, kind, id }: LimitedCredential,
): Promise<void> {
  const { store, audit, clock } = deps;
  if (!(await store.markDefaults(tx, organization_id, { kind, id, now: clock.now() }))) return;
  const inputs = budgetsOf(deps.defaults, { kind, id });
  if (inputs.length === 0) return;
  for (const input of inputs) {
    const budget = newBudget(deps, organization_id, input);
    await store.insert(tx, budget);
    const credential_id = `${kind === 'api_key' ? 'key' : 'grant'}:${id}`;
    const actor = { user_id, credential_id, ip: null, request_id: null };
    const detail = { channel: budget.channel, is_default: true };
    const entry = { organization_id, action: 'budget.created', object_id: budget.id, detail };
    await audit.write(tx, actor, entry);
  }
  await deps.rules.noteBudgets(tx, organization_id);
  tx.afterCommit(() => deps.changed(organization_id));
}
