// Budgets: limits in count and money for what organizations, credentials and agents send.
import type { ChargedItem } from '@parley/contract/rules/spending/funds';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import { keyedTtlCache } from '../../../platform/ttl-cache.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { AuditLog } from '../../access/audit/index.ts';
import type { CredentialLimits } from '../../access/identity/index.ts';
import type { Funds } from '../funds/index.ts';
import type { SendingRulesFeature } from '../sending-rules/index.ts';
import { appliesTo, type BudgetRow, type Spender, type SpendingChannel } from './budget.ts';
import { addDefaultBudgets, type DefaultLimits } from './default-budgets.ts';
import { budgetRoutes } from './routes.ts';
import { budgetService } from './service.ts';
import { budgetSpending, type CallSpending } from './spend.ts';
import { budgetStore } from './store.ts';
import { budgetUseStore } from './use-store.ts';
import { windowEnd } from './windows.ts';

export { type BudgetRow, describeBudget, type Spender } from './budget.ts';
export type { CountedUse, CountingCondition } from './spend.ts';

const cache_age_ms = 1000;
const max_organizations = 10_000;
/** Windows of the longest kind are kept for two more. */
const kept_days = 93;

export function budgetFeature(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  unitOfWork: UnitOfWork;
  rules: SendingRulesFeature;
  funds: Pick<Funds, 'recentPrices'>;
  audit: AuditLog;
  /** Of programs that people connect, and of keys from device logins. */
  defaults: DefaultLimits;
}) {
  const { clock, rules } = deps;
  const store = budgetStore(deps.db);
  const uses = budgetUseStore(deps.db);
  const cache = keyedTtlCache<BudgetRow[]>({ max_age_ms: cache_age_ms, max_entries: max_organizations });
  const spending = budgetSpending({ ...deps, store: uses });
  const service = budgetService({ ...deps, store, uses, changed: cache.forget });
  const default_deps = { ...deps, store, changed: cache.forget };

  /** Null when the organization has no budgets; then nothing is read. */
  const applicable = (organization_id: string, channel: SpendingChannel, spender: Spender) => {
    const pick = ({ has_budgets }: { has_budgets: boolean }) =>
      has_budgets ? listApplicable(organization_id, channel, spender) : null;
    const current_rules = rules.of(organization_id);
    return current_rules instanceof Promise ? current_rules.then(pick) : pick(current_rules);
  };
  const listApplicable = async (organization_id: string, channel: SpendingChannel, spender: Spender) => {
    const all = await cache.get(organization_id, () => store.list(organization_id));
    return all.filter((budget) => appliesTo(budget, channel, spender));
  };

  const jobs: JobHandler[] = [
    {
      kind: 'forget_budget_uses',
      every_seconds: 86_400,
      run: () => uses.deleteUsesBefore(new Date(clock.ms() - kept_days * 86_400_000)),
    },
    { kind: 'forget_orphan_budgets', every_seconds: 86_400, run: () => store.deleteOrphans(clock.now()) },
  ];

  const credential_limits: CredentialLimits = {
    addDefaults: (tx, credential) => addDefaultBudgets(default_deps, tx, credential),
    async ensureDefaults(credential) {
      const { organization_id, kind, id } = credential;
      if (await store.hasDefaults(organization_id, kind, id)) return;
      await deps.db.transaction((tx) => addDefaultBudgets(default_deps, tx, credential));
    },
  };

  return {
    service,
    ...credential_limits,
    routes: [budgetRoutes(service)],
    jobs,
    applicable,
    /** By the price list, also when this server does not charge. */
    async priceOf(item: ChargedItem, quantity: number): Promise<number> {
      return (await deps.funds.recentPrices())[item] * quantity;
    },
    /** Until the window of a budget ends. */
    secondsLeft: ({ window }: BudgetRow): number =>
      Math.max(1, Math.ceil((windowEnd(window, clock.ms()).getTime() - clock.ms()) / 1000)),
    spend: spending.spend,
    spendWithRecord: spending.spendWithRecord,
    countWithRecord: spending.countWithRecord,
    fullBudget: spending.fullBudget,
    giveBack: spending.giveBack,
    reserveCall: (call: CallSpending, budgets: readonly BudgetRow[]) => spending.reserveCall(call, budgets),
    settleCall: (tx: Transaction, organization_id: string, call_id: string, minutes: number) =>
      spending.settleCall(tx, organization_id, call_id, minutes),
    releaseCall: spending.releaseCall,
    /** For the sweep that releases what calls left behind. */
    callReservations: { page: spending.oldReservations, release: spending.releaseCall },
  };
}
export type Budgets = ReturnType<typeof budgetFeature>;
