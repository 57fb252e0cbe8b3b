// Messages and calls that wait: why a queued one is not sent yet, and the fields of a request that decide about it.
import { z } from 'zod';
import { LabelChange } from '../../inbox/labels.ts';
import { limits } from '../../limits.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';

export const holdKinds = ['approval', 'schedule', 'quiet_hours', 'recipient_limit', 'kill_switch'] as const;
export type HoldKind = (typeof holdKinds)[number];

export const Hold = z
  .strictObject({
    kind: z
      .enum(holdKinds)
      .describe(
        'approval: a person must approve it. schedule: it waits for scheduled_at. quiet_hours: the recipient may not be contacted at this time of day. recipient_limit: a limit of recipients was reached for today. kill_switch: the operator stopped the channel.',
      ),
    until: Timestamp.nullable().describe(
      'When it is checked again; for an approval, when the request for approval expires.',
    ),
    approval_id: Uuid.nullable().describe('The approval it waits for; see GET /v1/approvals/{approval_id}.'),
    message: z.string().describe('What it waits for, in one sentence.'),
  })
  .meta({ id: 'Hold' });
export type Hold = z.infer<typeof Hold>;

/** Fields of every outbound record that may wait. */
export const holdFields = {
  hold: Hold.nullable().describe('Why it waits in status queued; null when nothing holds it back.'),
  scheduled_at: Timestamp.nullable().describe('The time that the request asked for; null for immediately.'),
};

export const purposes = ['transactional', 'conversational', 'marketing'] as const;
export type Purpose = (typeof purposes)[number];
export const default_purpose: Purpose = 'conversational';

/** The server checks the range, because it depends on its clock. */
export const ScheduledAt = z.iso
  .datetime({ offset: true, error: 'Expected a time with an offset, such as 2026-06-06T12:00:00Z' })
  .describe(
    `Send at this time: ${limits.schedule_min_seconds} seconds to ${limits.schedule_max_days} days ahead. Until then it can be canceled or moved.`,
  );

/** Optional fields of every request that sends something. */
export const sendingFields = {
  scheduled_at: ScheduledAt.nullish(),
  purpose: z
    .enum(purposes)
    .nullish()
    .describe(`What the contact is for; quiet hours and consents depend on it. Default: ${default_purpose}.`),
};

/** What can be changed of an email or a text. */
export const MessagePatch = z
  .strictObject({
    scheduled_at: ScheduledAt.optional().describe('Of a message that waits.'),
    labels: LabelChange.optional(),
  })
  .refine((patch) => Object.values(patch).some((value) => value !== undefined), 'Expected a field to change')
  .meta({ id: 'MessagePatch' });
export type MessagePatch = z.output<typeof MessagePatch>;

/** The only change that a record that waits allows: a person approves it as it is. */
export const SchedulePatch = z.strictObject({ scheduled_at: ScheduledAt }).meta({ id: 'SchedulePatch' });

export const holdExample: Hold = {
  kind: 'schedule',
  until: '2026-06-07T08:00:00.000Z',
  approval_id: null,
  message: 'It is scheduled.',
};
