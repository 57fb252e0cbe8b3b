// The rules of a purchase: the budgets of the buyer and the approval policy. Asked when a number is ordered, and again before
// an approved purchase is carried out.
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import {
  type GatedRequest,
  type Payload,
  type SendingTerms,
  type Stage,
  spenderOfPrincipal,
  type Verdict,
} from '../../../rules/admission/index.ts';
import {
  type BudgetRow,
  type Budgets,
  type CountedUse,
  describeBudget,
} from '../../../rules/budgets/index.ts';
import type { MonthlyCharge } from '../charges/monthly-charge.ts';
import type { HeldNumber } from '../store.ts';

export type PurchaseRuleDeps = {
  budgets: Pick<Budgets, 'applicable' | 'priceOf' | 'spend' | 'fullBudget' | 'giveBack' | 'secondsLeft'>;
  approvals: { judge(stage: Stage, request: GatedRequest): Verdict | Promise<Verdict> };
  charge: Pick<MonthlyCharge, 'requireFunds'>;
};

export type AllowedPurchase = {
  /** Null: buy it now. */
  hold: Hold | null;
  /** Must run in the transaction that stores the hold. */
  commit: ((tx: Transaction) => Promise<void>) | null;
  /** What budgets counted. It must be given back when the number is not bought after all. */
  counted: readonly CountedUse[];
};

/** What a person sees and approves. It has no recipients: nobody is contacted. */
export const purchasePayload = (number: HeldNumber): Payload => ({
  from: null,
  to: [],
  cc: [],
  bcc: [],
  subject: `Buy the number ${number.e164}`,
  body_text: null,
  body_html: null,
  attachments: [],
  more: {
    e164: number.e164,
    provider: number.provider,
    country_code: number.country_code,
    number_type: number.number_type,
    capabilities: number.capabilities,
    monthly_cents: number.monthly_cents,
    setup_cents: number.setup_cents,
    currency: number.currency,
  },
  scheduled_at: null,
});

/** Throws an ApiError when a rule refuses the purchase. */
export async function admitPurchase(
  deps: PurchaseRuleDeps,
  stage: Stage,
  number: HeldNumber,
  terms: SendingTerms,
): Promise<AllowedPurchase> {
  const { organization_id } = number;
  await deps.charge.requireFunds(organization_id);
  const verdict = await deps.approvals.judge(stage, {
    organization_id,
    channel: 'number_purchase',
    origin: 'api',
    recipients: [],
    consent: 'service',
    charge: { item: 'number_month', quantity: 1, reference: number.id },
    record: { noun: 'number', id: number.id },
    principal: terms.principal,
    payload: () => purchasePayload(number),
    terms,
  });
  if (verdict.outcome === 'refuse' || verdict.outcome === 'defer') throw verdict.error;
  const is_held = verdict.outcome === 'hold';
  const counted = await spend(deps, organization_id, terms, is_held);
  return is_held
    ? { hold: verdict.hold, commit: verdict.commit ?? null, counted }
    : { hold: null, commit: null, counted };
}

/** A purchase that waits needs room, but is counted when it is carried out. */
async function spend(
  { budgets }: PurchaseRuleDeps,
  organization_id: string,
  { principal }: SendingTerms,
  is_held: boolean,
): Promise<readonly CountedUse[]> {
  const spender = spenderOfPrincipal(principal);
  const applicable = await budgets.applicable(organization_id, 'numbers', spender);
  if (!applicable || applicable.length === 0) return [];
  const micros = await budgets.priceOf('number_month', 1);
  const spending = { organization_id, channel: 'numbers' as const, spender, count: 1, micros };
  if (is_held) {
    const full = await budgets.fullBudget(spending, applicable);
    if (full) throw exceeded(budgets, full);
    return [];
  }
  const spent = await budgets.spend({ spending, budgets: applicable, is_before_store: false });
  if (spent.exceeded) throw exceeded(budgets, spent.exceeded);
  return spent.uses;
}

const exceeded = (budgets: PurchaseRuleDeps['budgets'], budget: BudgetRow) =>
  new ApiError('budget_exceeded', {
    detail: `This would exceed ${describeBudget(budget)}.`,
    retry_after_seconds: budgets.secondsLeft(budget),
  });
