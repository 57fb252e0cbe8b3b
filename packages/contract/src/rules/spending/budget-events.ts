// The events of budgets.
import { z } from 'zod';
import { defineEvents } from '../../event.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';
import { budgetChannels, budgetExample, budgetSubjects, budgetWindows } from './budgets.ts';

/** Percent of a budget. */
export const budget_thresholds = [50, 80, 100] as const;

const BudgetThresholdData = z
  .strictObject({
    id: Uuid.describe('The id of the budget.'),
    subject_kind: z.enum(budgetSubjects),
    subject_id: Uuid.nullable(),
    channel: z.enum(budgetChannels),
    window: z.enum(budgetWindows),
    percent: z.int().describe('50, 80 or 100: the part of the budget that is now used.'),
    used_count: z.int(),
    max_count: z.int().nullable(),
    used_micros: z.int(),
    max_amount_micros: z.int().nullable(),
    resets_at: Timestamp,
  })
  .meta({ id: 'BudgetThresholdData' });
export type BudgetThresholdData = z.infer<typeof BudgetThresholdData>;

export const budgetEvents = defineEvents({
  'budget.threshold': {
    meaning: '50, 80 or 100 percent of a budget is used; once per window and threshold.',
    data: BudgetThresholdData,
    example: {
      id: budgetExample.id,
      subject_kind: 'api_key',
      subject_id: budgetExample.subject.id,
      channel: 'sms',
      window: 'day',
      percent: 80,
      used_count: 160,
      max_count: 200,
      used_micros: 1_600_000,
      max_amount_micros: 5_000_000,
      resets_at: budgetExample.resets_at,
    },
  },
});
