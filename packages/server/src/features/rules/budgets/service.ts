// The operations of budgets. Only people change them; every change is in the audit log.

import { limits } from '@parley/contract/limits';
import type {
  Budget,
  BudgetCreate,
  BudgetPatch,
  BudgetSubject,
} from '@parley/contract/rules/spending/budgets';
import type { Clock } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { ApiError, validationError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { SendingRulesFeature } from '../sending-rules/index.ts';
import type { BudgetRow, BudgetUse } from './budget.ts';
import type { BudgetStore } from './store.ts';
import type { BudgetUseStore } from './use-store.ts';
import { windowEnd, windowStartText } from './windows.ts';

type Deps = {
  store: BudgetStore;
  uses: Pick<BudgetUseStore, 'uses'>;
  rules: Pick<SendingRulesFeature, 'change' | 'setHasBudgets'>;
  clock: Clock;
  ids: Ids;
  /** Called after a change: the next send of this process uses the new budgets. */
  changed(organization_id: string): void;
};

export function budgetService(deps: Deps) {
  const { store } = deps;
  return {
    create: (context: Context, input: BudgetCreate) => create(deps, context, input),

    list: async (organization_id: string) => ({
      items: await withUses(deps, await store.list(organization_id)),
    }),

    async get(organization_id: string, id: string): Promise<Budget> {
      const [budget] = await withUses(deps, [await find(deps, organization_id, id)]);
      return budget!;
    },

    async update(context: Context, id: string, patch: BudgetPatch): Promise<Budget> {
      const before = await find(deps, context.organization_id, id);
      const after = patched(before, patch, deps.clock.now());
      await change(deps, context, 'budget.changed', (tx) => store.update(tx, after));
      const [budget] = await withUses(deps, [after]);
      return budget!;
    },

    async delete(context: Context, id: string): Promise<undefined> {
      const { organization_id } = context;
      await find(deps, organization_id, id);
      await change(deps, context, 'budget.deleted', (tx) => store.delete(tx, organization_id, id));
    },
  };
}
export type BudgetService = ReturnType<typeof budgetService>;

async function create(deps: Deps, context: Context, input: BudgetCreate): Promise<Budget> {
  const { store } = deps;
  const { organization_id } = context;
  const { kind, id: subject_id } = input.subject;
  if (subject_id !== null && !(await store.hasSubject(organization_id, kind, subject_id)))
    throw new ApiError('budget_subject_not_found', { path: 'body.subject.id' });
  const budget = newBudget(deps, organization_id, input);
  await change(deps, context, 'budget.created', async (tx, before) => {
    requireFree(before, input.subject);
    await store.insert(tx, budget);
  });
  return present(deps, budget, { used_count: 0, used_micros: 0 });
}

async function find({ store }: Deps, organization_id: string, id: string): Promise<BudgetRow> {
  const budget = await store.find(organization_id, id);
  if (!budget) throw new ApiError('not_found');
  return budget;
}

/** Sends look for budgets only while the organization has some. */
async function change(
  { store, rules, changed }: Deps,
  context: Context,
  action: string,
  write: (tx: Transaction, before: BudgetRow[]) => Promise<void>,
): Promise<void> {
  const { organization_id } = context;
  await rules.change(context, action, async (tx) => {
    await write(tx, await store.list(organization_id, tx));
    const left = await store.list(organization_id, tx);
    await rules.setHasBudgets(tx, organization_id, left.length > 0);
  });
  changed(organization_id);
}

async function withUses(deps: Deps, budgets: readonly BudgetRow[]): Promise<Budget[]> {
  if (budgets.length === 0) return [];
  const uses = await deps.uses.uses(
    budgets.map(({ id: budget_id, organization_id, window }) => ({
      organization_id,
      budget_id,
      window_start: windowStartText(window, deps.clock.ms()),
    })),
  );
  return budgets.map((budget, index) => present(deps, budget, uses[index]!));
}

const present = ({ clock }: Deps, budget: BudgetRow, { used_count, used_micros }: BudgetUse): Budget => ({
  id: budget.id,
  organization_id: budget.organization_id,
  subject: { kind: budget.subject_kind, id: budget.subject_id },
  channel: budget.channel,
  window: budget.window,
  max_count: budget.max_count,
  max_amount_micros: budget.max_amount_micros,
  used_count,
  used_micros,
  resets_at: windowEnd(budget.window, clock.ms()).toISOString(),
  created_at: budget.created_at,
  updated_at: budget.updated_at,
});

export const newBudget = (
  { ids, clock }: Pick<Deps, 'ids' | 'clock'>,
  organization_id: string,
  { subject, channel, window, max_count, max_amount_micros }: BudgetCreate,
): BudgetRow => {
  const now = clock.now().toISOString();
  return {
    id: ids.next(),
    organization_id,
    subject_kind: subject.kind,
    subject_id: subject.id,
    channel,
    window,
    max_count: max_count ?? null,
    max_amount_micros: max_amount_micros ?? null,
    created_at: now,
    updated_at: now,
  };
};

function requireFree(before: readonly BudgetRow[], subject: BudgetSubject): void {
  const own_budgets = before.filter(
    ({ subject_kind, subject_id }) => subject_kind === subject.kind && subject_id === subject.id,
  );
  if (own_budgets.length >= limits.budgets_per_subject || before.length >= limits.budgets)
    throw new ApiError('too_many_budgets');
}

function patched(budget: BudgetRow, patch: BudgetPatch, now: Date): BudgetRow {
  const after = {
    ...budget,
    max_count: patch.max_count === undefined ? budget.max_count : patch.max_count,
    max_amount_micros:
      patch.max_amount_micros === undefined ? budget.max_amount_micros : patch.max_amount_micros,
    updated_at: now.toISOString(),
  };
  if (after.max_count === null && after.max_amount_micros === null) {
    const message = 'Expected max_count, max_amount_micros or both; delete the budget to remove it';
    throw validationError([{ path: 'body', message, code: 'invalid' }]);
  }
  return after;
}
