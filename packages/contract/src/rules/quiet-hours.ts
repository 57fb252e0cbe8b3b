// Quiet hours: the times of day at which people may be called and texted.
import { z } from 'zod';
import { defineOperations } from '../operation.ts';
import { TimeZone } from '../schema/fields.ts';

export const all_weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof all_weekdays)[number];
export const quietHoursActions = ['defer', 'refuse'] as const;
export const quietHoursExemptions = ['reply_60m', 'transactional'] as const;
export const reply_exemption_minutes = 60;

const TimeOfDay = z
  .string()
  .regex(/^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/, 'Expected a time from 00:00 to 24:00, such as 08:00');

const days = z.array(z.enum(all_weekdays)).min(1).max(all_weekdays.length);
const from = TimeOfDay.describe('Contact is allowed from this time, on the clocks of the recipient.');
const to = TimeOfDay.describe('Contact is allowed until this time, not including it; 24:00 is midnight.');

export const ContactWindow = z.strictObject({ from, to, days }).meta({ id: 'ContactWindow' });
export type ContactWindow = z.output<typeof ContactWindow>;

const ContactWindowInput = z
  .strictObject({ from, to, days: days.nullish().describe('Default: every day.') })
  .refine((window) => window.from < window.to, {
    message:
      'Expected from before to: they name the time in which contact is allowed, within one day. A window over midnight is not possible',
  })
  .meta({ id: 'ContactWindowInput' });

const channelText = 'null: at any time.';
const OnViolation = z
  .enum(quietHoursActions)
  .describe(
    'defer: it waits for the next allowed moment, with a hold of the kind quiet_hours. refuse: 422 quiet_hours; one that was queued before fails.',
  );
const Exempt = z
  .array(z.enum(quietHoursExemptions))
  .max(quietHoursExemptions.length)
  .describe(
    'reply_60m: the recipient called, texted or wrote within the last 60 minutes. transactional: the purpose of the request is transactional.',
  );
const default_zone = TimeZone.nullable().describe(
  'For numbers whose prefix has no time zone, such as those of satellite networks. null: UTC.',
);

export const QuietHours = z
  .strictObject({
    calls: ContactWindow.nullable().describe(channelText),
    sms: ContactWindow.nullable().describe(channelText),
    on_violation: OnViolation,
    exempt: Exempt,
    default_zone,
  })
  .meta({ id: 'QuietHours' });
export type QuietHours = z.output<typeof QuietHours>;

export const QuietHoursSet = z
  .strictObject({
    calls: ContactWindowInput.nullish().describe(channelText),
    sms: ContactWindowInput.nullish().describe(channelText),
    on_violation: OnViolation.optional(),
    exempt: Exempt.optional(),
    default_zone: default_zone.optional(),
  })
  .describe(
    'Replaces the rule. Fields that are left out get their default: no window, defer, ["reply_60m"], null.',
  )
  .meta({ id: 'QuietHoursSet' });
export type QuietHoursSet = z.output<typeof QuietHoursSet>;

export const no_quiet_hours: QuietHours = {
  calls: null,
  sms: null,
  on_violation: 'defer',
  exempt: ['reply_60m'],
  default_zone: null,
};

const window = { from: '08:00', to: '21:00', days: [...all_weekdays] };
/** Apply to the purpose marketing while an organization has set no quiet hours. */
export const marketing_hours: QuietHours = { ...no_quiet_hours, calls: window, sms: window };
const example = marketing_hours;

export const quietHours = defineOperations(
  'quiet_hours',
  'The times of day at which people may be called and texted.',
  {
    get: {
      method: 'GET',
      path: '/v1/quiet-hours',
      summary: 'Read the quiet hours',
      description:
        'While none were set, calls and texts with the purpose marketing are allowed from 08:00 to 21:00, and others at any time.',
      success: { status: 200, body: QuietHours, example },
    },
    set: {
      method: 'PUT',
      path: '/v1/quiet-hours',
      summary: 'Set the quiet hours',
      description:
        'The clocks of the recipient decide: the time zone of the contact; else all zones that are possible for the prefix of the number, and the moment must be allowed in each of them. It is checked when a call or text is created, and again right before it is sent.',
      body: QuietHoursSet,
      body_example: { calls: { from: '08:00', to: '21:00' }, sms: { from: '08:00', to: '21:00' } },
      success: { status: 200, body: QuietHours, example },
      errors: ['person_required'],
    },
    delete: {
      method: 'DELETE',
      path: '/v1/quiet-hours',
      summary: 'Remove the quiet hours',
      success: { status: 204 },
      errors: ['person_required'],
    },
  },
);
