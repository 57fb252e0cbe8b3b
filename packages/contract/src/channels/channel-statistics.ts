// Statistics of calls and of texts: counts by status, in total and for each bucket of time.
import { z } from 'zod';
import { limits } from '../limits.ts';
import { queryInteger, Timestamp } from '../schema/fields.ts';
import { statisticsBuckets } from './emails/email-statistics.ts';

export type StatusCounts<Status extends string> = Record<Status, number>;

export const statusCounts = <Status extends string>(states: readonly Status[], id: string) =>
  z
    .strictObject(
      Object.fromEntries(states.map((state) => [state, z.number().int()])) as Record<Status, z.ZodNumber>,
    )
    .meta({ id });

/** Every bucket of the range, also empty ones. */
export const seriesOf = <Counts extends z.ZodObject>(by_status: Counts) =>
  z.array(z.strictObject({ bucket_start: Timestamp, by_status }));

export const statisticsQuery = (noun: string) =>
  z.strictObject({
    days: queryInteger({
      min: 1,
      max: limits.statistics_days,
      default: 30,
      description: `Only ${noun} of this number of days; at most ${limits.statistics_hour_days} by hour.`,
    }),
    bucket: z
      .enum(statisticsBuckets)
      .optional()
      .transform((value) => value ?? 'day')
      .meta({ json_schema: { type: 'string', enum: [...statisticsBuckets], default: 'day' } }),
  });
