// Statistics of texts: counts by status, in total and for each bucket of time.
import { z } from 'zod';
import { Timestamp } from '../../schema/fields.ts';
import { seriesOf, statusCounts } from '../channel-statistics.ts';
import { smsLifecycle } from './sms-lifecycle.ts';

const TextsByStatus = statusCounts(smsLifecycle.states, 'TextsByStatus');
export const SmsStatistics = z
  .strictObject({
    from: Timestamp,
    to: Timestamp,
    total: z.number().int(),
    by_status: TextsByStatus,
    series: seriesOf(TextsByStatus),
  })
  .meta({ id: 'SmsStatistics' });
export type SmsStatistics = z.infer<typeof SmsStatistics>;
const counts_by_status = {
  queued: 0,
  sent: 1,
  delivered: 8,
  undelivered: 1,
  failed: 0,
  canceled: 0,
  received: 4,
};
export const smsStatisticsExample: SmsStatistics = {
  from: '2026-05-07T12:00:00.000Z',
  to: '2026-06-06T12:00:00.000Z',
  total: 14,
  by_status: counts_by_status,
  series: [{ bucket_start: '2026-06-06T00:00:00.000Z', by_status: counts_by_status }],
};
