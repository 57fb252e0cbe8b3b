// Checks the requested time of a message or call.
import { limits } from '@parley/contract/limits';
import type { Clock } from '../../../platform/clock.ts';
import { ApiError } from '../../../platform/http/api-error.ts';

/** In UTC; null when the request names no time. */
export function readSchedule(clock: Clock, scheduled_at: string | null | undefined): string | null {
  if (scheduled_at == null) return null;
  const at_ms = Date.parse(scheduled_at);
  const ahead_seconds = (at_ms - clock.ms()) / 1000;
  if (
    ahead_seconds < limits.schedule_min_seconds ||
    ahead_seconds > limits.schedule_max_days * 86_400 ||
    Number.isNaN(at_ms)
  ) {
    throw new ApiError('invalid_schedule', {
      detail: `${scheduled_at} is not between ${limits.schedule_min_seconds} seconds and ${limits.schedule_max_days} days ahead.`,
      path: 'body.scheduled_at',
    });
  }
  return new Date(at_ms).toISOString();
}
