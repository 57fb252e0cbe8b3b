// Check 7: budgets in count and money. Messages are counted at create; the length of a call is reserved before it is dialed.
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { type BudgetRow, type Budgets, describeBudget, type Spender } from '../../budgets/index.ts';
import type { AdmissionRequest, Check, Reserved, Stage, Verdict } from '../admission.ts';
import { spenderOfPrincipal } from '../principal.ts';

type Port = Pick<
  Budgets,
  | 'applicable'
  | 'priceOf'
  | 'spendWithRecord'
  | 'countWithRecord'
  | 'fullBudget'
  | 'reserveCall'
  | 'secondsLeft'
>;

export const budgetCheck = (budgets: Port): Check => ({
  name: 'budget',
  run(stage, request) {
    const { organization_id, channel, origin } = request;
    if (organization_id === null || origin === 'keyword') return { outcome: 'skip' };
    if (stage === 'hand_over' && !isCountedNow(request)) return { outcome: 'skip' };
    const applicable = budgets.applicable(organization_id, channel, spenderOf(request));
    if (applicable === null) return { outcome: 'skip' };
    return Promise.resolve(applicable).then((list) =>
      list === null || list.length === 0 ? { outcome: 'skip' } : judge(budgets, stage, request, list),
    );
  },
});

/** At the hand-over: calls, what was held at create, and forwards, which have no create. All others are counted at create. */
const isCountedNow = ({ channel, origin, was_counted, terms }: AdmissionRequest): boolean =>
  channel === 'calls' || (origin === 'forward' ? !was_counted : (terms?.is_counted_at_hand_over ?? false));

const spenderOf = ({ principal, terms }: AdmissionRequest): Spender =>
  spenderOfPrincipal(principal ?? terms?.principal ?? null);

async function judge(
  budgets: Port,
  stage: Stage,
  request: AdmissionRequest,
  applicable: readonly BudgetRow[],
): Promise<Verdict> {
  if (stage === 'hand_over' && request.channel === 'calls')
    return request.is_counted_later
      ? checkCall(budgets, request, applicable)
      : { outcome: 'allow', reserve: () => reserveCall(budgets, request, applicable) };
  const { charge, channel } = request;
  const spending = {
    organization_id: request.organization_id!,
    channel,
    spender: spenderOf(request),
    count: 1,
    micros: charge ? await budgets.priceOf(charge.item, charge.quantity) : 0,
    is_only_counted: channel === 'calls',
  };
  if (request.is_dry_run || request.scheduled_at) {
    const full = await budgets.fullBudget(spending, applicable);
    return full ? exceeded(budgets, full) : { outcome: 'allow' };
  }
  return {
    outcome: 'allow',
    async reserve({ in_statement }) {
      if (in_statement) return { outcome: 'reserved', ...budgets.countWithRecord(spending, applicable) };
      const full = await budgets.fullBudget(spending, applicable);
      if (full) return exceeded(budgets, full);
      // With the record in one transaction: a crash leaves no count without a record.
      const { counted, count } = budgets.spendWithRecord(spending, applicable);
      const commit = async (tx: Transaction) => {
        const exceeded_meanwhile = await count(tx);
        if (exceeded_meanwhile) throw exceeded(budgets, exceeded_meanwhile).error;
      };
      return { outcome: 'reserved', commit, counted };
    },
  };
}

const callCount = ({ terms }: AdmissionRequest): number => (terms?.is_counted_at_hand_over ? 1 : 0);

/** Counts nothing: the call is checked once more, and counted, before it is dialed. */
async function checkCall(
  budgets: Port,
  request: AdmissionRequest,
  applicable: readonly BudgetRow[],
): Promise<Verdict> {
  const spending = {
    organization_id: request.organization_id!,
    channel: request.channel,
    spender: spenderOf(request),
    count: callCount(request),
    micros: request.charge ? await budgets.priceOf('call_minute', 1) : 0,
    is_only_counted: true,
  };
  const full = await budgets.fullBudget(spending, applicable);
  return full ? exceeded(budgets, full) : { outcome: 'allow' };
}

async function reserveCall(
  budgets: Port,
  request: AdmissionRequest,
  applicable: readonly BudgetRow[],
): Promise<Reserved> {
  if (!request.charge) return { outcome: 'reserved' };
  const longest_minutes = request.longest_minutes ?? 1;
  const price_micros = await budgets.priceOf('call_minute', 1);
  const { minutes, exceeded: full } = await budgets.reserveCall(
    {
      organization_id: request.organization_id!,
      reference: request.charge.reference,
      spender: spenderOf(request),
      count: callCount(request),
      minutes: longest_minutes,
      price_micros,
    },
    applicable,
  );
  if (full) return exceeded(budgets, full);
  return minutes < longest_minutes
    ? { outcome: 'reserved', max_duration_seconds: minutes * 60 }
    : { outcome: 'reserved' };
}

const exceeded = (budgets: Port, budget: BudgetRow): Extract<Reserved, { outcome: 'refuse' }> => ({
  outcome: 'refuse',
  reason: 'not_allowed',
  error: new ApiError('budget_exceeded', {
    detail: `This would exceed ${describeBudget(budget)}.`,
    retry_after_seconds: budgets.secondsLeft(budget),
  }),
});
