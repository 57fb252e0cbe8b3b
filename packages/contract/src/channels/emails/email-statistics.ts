// Email statistics: the counters, the time range and the bucket sizes.
import { z } from 'zod';
import { Timestamp } from '../../schema/fields.ts';

export const statisticsBuckets = ['hour', 'day'] as const;

export const emailCounterNames = [
  'sent',
  'delivered',
  'delivery_delayed',
  'bounced',
  'bounced_hard',
  'complained',
  'rejected',
  'opened',
  'clicked',
  'unique_opened',
  'unique_clicked',
] as const;
export type EmailCounter = (typeof emailCounterNames)[number];
export type EmailCounters = Record<EmailCounter, number>;

const meanings: Record<EmailCounter, string> = {
  sent: 'Emails accepted by the mail transport.',
  delivered: 'Emails reported as delivered.',
  delivery_delayed: 'Emails reported as delayed.',
  bounced: 'Emails that bounced, hard or soft.',
  bounced_hard: 'Emails that bounced permanently.',
  complained: 'Emails marked as spam.',
  rejected:
    'Emails whose request was answered with 502. An email that a report confirms later is also counted as sent.',
  opened: 'All opens.',
  clicked: 'All clicks.',
  unique_opened: 'Emails opened at least once.',
  unique_clicked: 'Emails clicked at least once.',
};
const counters = Object.fromEntries(
  emailCounterNames.map((name) => [name, z.number().int().describe(meanings[name])]),
) as Record<EmailCounter, z.ZodNumber>;

const rate = (of: string) => z.number().min(0).max(1).describe(of);

export const EmailStatistics = z
  .strictObject({
    from: Timestamp,
    to: Timestamp,
    bucket: z.enum(statisticsBuckets),
    totals: z.strictObject(counters).meta({ id: 'EmailCounters' }),
    rates: z.strictObject({
      delivery: rate('delivered / sent'),
      bounce: rate('bounced / sent'),
      complaint: rate('complained / sent'),
      open: rate('unique_opened / delivered'),
      click: rate('unique_clicked / delivered'),
    }),
    series: z.array(
      z.strictObject({ bucket_start: Timestamp, ...counters }).meta({ id: 'EmailCountersBucket' }),
    ),
  })
  .meta({ id: 'EmailStatistics' });
export type EmailStatistics = z.infer<typeof EmailStatistics>;

const some: EmailCounters = {
  sent: 4,
  delivered: 4,
  delivery_delayed: 0,
  bounced: 1,
  bounced_hard: 1,
  complained: 0,
  rejected: 0,
  opened: 3,
  clicked: 1,
  unique_opened: 2,
  unique_clicked: 1,
};

export const emailStatisticsExample: EmailStatistics = {
  from: '2026-06-06T00:00:00.000Z',
  to: '2026-06-07T00:00:00.000Z',
  bucket: 'day',
  totals: some,
  rates: { delivery: 1, bounce: 0.25, complaint: 0, open: 0.5, click: 0.25 },
  series: [{ bucket_start: '2026-06-06T00:00:00.000Z', ...some }],
};
