// Which budgets apply to a request, and how much room they have.
import type { Channel } from '@parley/contract/access/admin';
import type { BudgetChannel, BudgetSubject, BudgetWindow } from '@parley/contract/rules/spending/budgets';

/** One row of budget_uses. */
export type UseRef = { organization_id: string; budget_id: string; window_start: string };

export type BudgetRow = {
  id: string;
  organization_id: string;
  subject_kind: BudgetSubject['kind'];
  subject_id: string | null;
  channel: BudgetChannel;
  window: BudgetWindow;
  max_count: number | null;
  max_amount_micros: number | null;
  created_at: string;
  updated_at: string;
};

/** What budgets count. */
export type SpendingChannel = Channel | 'numbers';

export type BudgetUse = { used_count: number; used_micros: number };

/** Who spends: the credential as logs name it, the credentials that it descends from, and the agent. */
export type Spender = { credential_ids: readonly string[]; agent_id: string | null };

export const appliesTo = (
  { channel, subject_kind, subject_id }: Pick<BudgetRow, 'channel' | 'subject_kind' | 'subject_id'>,
  used_channel: SpendingChannel,
  { credential_ids, agent_id }: Spender,
): boolean => {
  if (channel !== 'all' && channel !== used_channel) return false;
  switch (subject_kind) {
    case 'organization':
      return true;
    case 'api_key':
      return credential_ids.includes(`key:${subject_id}`);
    case 'oauth_grant':
      return credential_ids.includes(`grant:${subject_id}`);
    case 'agent':
      return agent_id === subject_id;
  }
};

/** Whether `count` more, which cost `micros`, fit. */
export const hasRoom = (budget: BudgetRow, use: BudgetUse, count: number, micros: number): boolean =>
  (budget.max_count === null || use.used_count + count <= budget.max_count) &&
  (budget.max_amount_micros === null || use.used_micros + micros <= budget.max_amount_micros);

/** The larger of both percentages, in whole percent. A limit of zero is always used up. */
export function percentUsed(budget: BudgetRow, { used_count, used_micros }: BudgetUse): number {
  const part = (used: number, max: number | null) => {
    if (max === null) return 0;
    return max === 0 ? 100 : Math.floor((100 * used) / max);
  };
  return Math.max(part(used_count, budget.max_count), part(used_micros, budget.max_amount_micros));
}

const subjects: Record<BudgetSubject['kind'], string> = {
  organization: 'the organization',
  api_key: 'this key',
  oauth_grant: 'this program',
  agent: 'this agent',
};

/** For people: such as "the budget of this key: 200 sms per day". */
export function describeBudget(budget: BudgetRow): string {
  const what = budget.channel === 'all' ? 'calls, messages and numbers' : budget.channel;
  const limits = [
    ...(budget.max_count === null ? [] : [`${budget.max_count} ${what}`]),
    ...(budget.max_amount_micros === null ? [] : [`${budget.max_amount_micros / 1_000_000} for ${what}`]),
  ];
  return `the budget of ${subjects[budget.subject_kind]}: ${limits.join(', ')} per ${budget.window}`;
}
