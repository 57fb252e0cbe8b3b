// Retention: after how many days an organization deletes content, recordings, records, events and requests.
import { z } from 'zod';
import { defineOperations } from '../operation.ts';
import { Timestamp } from '../schema/fields.ts';

export const retention_max_days = 3650;
export const retentionKinds = [
  'messages',
  'recordings',
  'records',
  'events',
  'quarantine',
  'requests',
] as const;
export type RetentionKind = (typeof retentionKinds)[number];

const meanings: Record<RetentionKind, string> = {
  messages:
    'Bodies, subjects and attachments of emails, texts of messages, transcripts and results of calls. Status, times and parties stay.',
  recordings: 'Recordings of calls.',
  records: 'Whole emails, texts and calls. Not shorter than messages and recordings.',
  events:
    'Events and their webhook deliveries. They have content, so they are not kept longer than messages.',
  quarantine: 'Emails in quarantine.',
  requests: 'The request log.',
};

const Days = z.int().min(1).max(retention_max_days).nullable();
const days = (kind: RetentionKind) =>
  Days.describe(`Days. ${meanings[kind]} null: the default of the service.`);
const effectiveDays = (kind: RetentionKind) =>
  z.int().nullable().describe(`Days. ${meanings[kind]} null: kept without a limit.`);

const eachKind = <T>(of: (kind: RetentionKind) => T) =>
  Object.fromEntries(retentionKinds.map((kind) => [kind, of(kind)])) as Record<RetentionKind, T>;

export const retentionCounts = [
  'recordings',
  'emails',
  'sms',
  'calls',
  'raw_messages',
  'attachments',
  'records',
  'conversations',
  'events',
  'deliveries',
  'quarantine',
  'requests',
] as const;
export type RetentionCount = (typeof retentionCounts)[number];

export const RetentionRun = z
  .strictObject({
    status: z.enum(['running', 'done', 'failed']).describe('failed: it is tried again within an hour.'),
    step: z.string().nullable().describe('What it works on; null after the end.'),
    counts: z
      .partialRecord(z.enum(retentionCounts), z.number().int())
      .describe(
        'What this run removed so far. emails, sms and calls: lost their content; records and conversations: were deleted.',
      ),
    started_at: Timestamp,
    done_at: Timestamp.nullable(),
  })
  .meta({ id: 'RetentionRun' });

export const Retention = z
  .strictObject({
    ...eachKind(days),
    effective: z
      .strictObject(eachKind(effectiveDays))
      .describe('What applies: with the defaults and the limits of the service.')
      .meta({ id: 'EffectiveRetention' }),
    last_run: RetentionRun.nullable().describe('The newest run; null while there was none.'),
  })
  .meta({ id: 'Retention' });
export type Retention = z.output<typeof Retention>;

export const RetentionPatch = z
  .strictObject(eachKind((kind) => days(kind).optional()))
  .describe('Fields that are left out keep their value.')
  .meta({ id: 'RetentionPatch' });
export type RetentionPatch = z.output<typeof RetentionPatch>;

const example: Retention = {
  messages: 30,
  recordings: 14,
  records: 365,
  events: null,
  quarantine: null,
  requests: null,
  effective: { messages: 30, recordings: 14, records: 365, events: 30, quarantine: 30, requests: 7 },
  last_run: {
    status: 'done',
    step: null,
    counts: { recordings: 2, emails: 14, events: 310 },
    started_at: '2026-06-06T12:00:00.000Z',
    done_at: '2026-06-06T12:00:01.000Z',
  },
};

export const retention = defineOperations('retention', 'After how many days data is deleted.', {
  get: {
    method: 'GET',
    path: '/v1/organization/retention',
    summary: 'Read the retention and how far the newest run is',
    success: { status: 200, body: Retention, example },
  },
  update: {
    method: 'PATCH',
    path: '/v1/organization/retention',
    summary: 'Change the retention',
    description:
      'Data that is older is deleted in the background, at once and then every hour. It cannot be restored. Only for owners and admins.',
    body: RetentionPatch,
    body_example: { messages: 30, recordings: 14, records: 365 },
    success: { status: 200, body: Retention, example },
    errors: ['person_required'],
  },
});
