// Decides when a subscription has failed for so long that it is switched off.
import { webhookDeadStreakLimit } from '@parley/contract/webhooks';

export type Streak = { dead_streak: number; is_organization_wide: boolean };

/**
 * One delivered delivery begins anew. A subscription to a single email domain is never switched off: its owner chose
 * it for that domain, and other subscriptions cannot stand in for it.
 */
export function afterEnds(
  before: Streak,
  ends: readonly ('delivered' | 'dead')[],
): { dead_streak: number; disable: boolean } {
  let dead_streak = before.dead_streak;
  let disable = false;
  for (const end of ends) {
    dead_streak = end === 'dead' ? dead_streak + 1 : 0;
    if (before.is_organization_wide && dead_streak >= webhookDeadStreakLimit) disable = true;
  }
  return { dead_streak, disable };
}
