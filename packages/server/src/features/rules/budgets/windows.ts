// The windows of budgets: hours, days and months of the calendar in UTC, so that a change of the local clock moves nothing.
import type { BudgetWindow } from '@parley/contract/rules/spending/budgets';

export function windowStart(window: BudgetWindow, now_ms: number): Date {
  const now = new Date(now_ms);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (window === 'month') return new Date(Date.UTC(year, month));
  return new Date(Date.UTC(year, month, day, window === 'day' ? 0 : now.getUTCHours()));
}

let known: { hour: number; texts: Partial<Record<BudgetWindow, string>> } = { hour: -1, texts: {} };

/** As text. Kept for the hour, because writing a time takes longer than everything else that a send does with its budgets. */
export function windowStartText(window: BudgetWindow, now_ms: number): string {
  const hour = Math.floor(now_ms / 3_600_000);
  if (known.hour !== hour) known = { hour, texts: {} };
  known.texts[window] ??= windowStart(window, now_ms).toISOString();
  return known.texts[window];
}

export function windowEnd(window: BudgetWindow, now_ms: number): Date {
  const start = windowStart(window, now_ms);
  if (window === 'hour') return new Date(start.getTime() + 3_600_000);
  if (window === 'day') return new Date(start.getTime() + 86_400_000);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
}
