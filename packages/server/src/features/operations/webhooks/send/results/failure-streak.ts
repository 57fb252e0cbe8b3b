// Decides when a subscription has failed so often that it is disabled.
import { webhookDeadStreakLimit } from '@parley/contract/operations/webhooks/webhooks';

export type Streak = { dead_streak: number; is_organization_wide: boolean };

/**
 * One successful delivery resets the streak. A subscription to a single email domain is never disabled: no other
 * subscription would receive the events of that domain instead.
 */
export function afterResults(
  before: Streak,
  results: readonly ('delivered' | 'dead')[],
): { dead_streak: number; disable: boolean } {
  let dead_streak = before.dead_streak;
  let disable = false;
  for (const result of results) {
    dead_streak = result === 'dead' ? dead_streak + 1 : 0;
    if (before.is_organization_wide && dead_streak >= webhookDeadStreakLimit) disable = true;
  }
  return { dead_streak, disable };
}
