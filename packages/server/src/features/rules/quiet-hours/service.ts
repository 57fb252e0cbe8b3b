// Reads and replaces the quiet hours of an organization.
import {
  all_weekdays,
  type ContactWindow,
  no_quiet_hours,
  type QuietHours,
  type QuietHoursSet,
} from '@parley/contract/rules/quiet-hours';
import type { Context } from '../../../platform/http/context.ts';
import type { SendingRulesFeature } from '../sending-rules/index.ts';

export const quietHoursService = ({ rules }: { rules: SendingRulesFeature }) => ({
  async get(organization_id: string): Promise<QuietHours> {
    return (await rules.current(organization_id)).quiet_hours ?? no_quiet_hours;
  },

  async set(context: Context, body: QuietHoursSet): Promise<QuietHours> {
    const value: QuietHours = {
      calls: completed(body.calls),
      sms: completed(body.sms),
      on_violation: body.on_violation ?? no_quiet_hours.on_violation,
      exempt: [...new Set(body.exempt ?? no_quiet_hours.exempt)],
      default_zone: body.default_zone ?? null,
    };
    await rules.set(context, 'quiet_hours', value);
    return value;
  },

  async delete(context: Context): Promise<undefined> {
    await rules.set(context, 'quiet_hours', null);
  },
});
export type QuietHoursService = ReturnType<typeof quietHoursService>;

/** Days in the order of the week. */
const completed = (window: QuietHoursSet['calls']): ContactWindow | null =>
  window
    ? {
        from: window.from,
        to: window.to,
        days: all_weekdays.filter((day) => window.days?.includes(day) ?? true),
      }
    : null;
