// The windows of budgets: hours, days and months of the calendar in UTC, so that a change of the local clock moves nothing.
import type { BudgetWindow } from '@parley/contract/budgets';

export function windowStart(window: BudgetWindow, now_ms: number): Date {
  const now = new Date(now_ms);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (window === 'month') return new Date(Date.UTC(year, month));
  return new Date(Date.UTC(year, month, day, window === 'day' ? 0 : now.getUTCHours()));
}

export function windowEnd(window: BudgetWindow, now_ms: number): Date {
  const start = windowStart(window, now_ms);
  if (window === 'hour') return new Date(start.getTime() + 3_600_000);
  if (window === 'day') return new Date(start.getTime() + 86_400_000);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
}
