// Budgets: how much an organization, a key, a connected program or an agent may send or spend per hour, day or month.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';

export const budgetSubjects = ['organization', 'api_key', 'oauth_grant', 'agent'] as const;
export const budgetChannels = ['calls', 'sms', 'emails', 'numbers', 'all'] as const;
export type BudgetChannel = (typeof budgetChannels)[number];
export const budgetWindows = ['hour', 'day', 'month'] as const;
export type BudgetWindow = (typeof budgetWindows)[number];

const MaxCount = z
  .int()
  .min(0)
  .max(1_000_000_000)
  .describe('How many calls, messages and bought numbers. null: no limit.');
const MaxAmount = z
  .int()
  .min(0)
  .max(1_000_000_000_000_000)
  .describe('How much they may cost, in millionths, by the price list of the server. null: no limit.');

const BudgetSubject = z
  .strictObject({
    kind: z.enum(budgetSubjects),
    id: Uuid.nullable().describe(
      'The id of the key, the OAuth grant or the agent; null for the organization.',
    ),
  })
  .refine(({ kind, id }) => (kind === 'organization') === (id === null), {
    message: 'Expected an id for every kind but organization',
    path: ['id'],
  })
  .meta({ id: 'BudgetSubject' });
export type BudgetSubject = z.infer<typeof BudgetSubject>;

export const Budget = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    subject: BudgetSubject,
    channel: z.enum(budgetChannels),
    window: z.enum(budgetWindows).describe('Hours, days and months of the calendar in UTC.'),
    max_count: MaxCount.nullable(),
    max_amount_micros: MaxAmount.nullable(),
    used_count: z.int().describe('What was counted in the current window.'),
    used_micros: z
      .int()
      .describe('Their cost, in millionths; includes what is reserved for calls in progress.'),
    resets_at: Timestamp.describe('When the next window starts.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Budget' });
export type Budget = z.infer<typeof Budget>;

const hasLimit = (budget: {
  max_count?: number | null | undefined;
  max_amount_micros?: number | null | undefined;
}) => budget.max_count != null || budget.max_amount_micros != null;

export const BudgetCreate = z
  .strictObject({
    subject: BudgetSubject,
    channel: z.enum(budgetChannels),
    window: z.enum(budgetWindows),
    max_count: MaxCount.nullish(),
    max_amount_micros: MaxAmount.nullish(),
  })
  .refine(hasLimit, { message: 'Expected max_count, max_amount_micros or both' })
  .meta({ id: 'BudgetCreate' });
export type BudgetCreate = z.output<typeof BudgetCreate>;

export const BudgetPatch = z
  .strictObject({ max_count: MaxCount.nullish(), max_amount_micros: MaxAmount.nullish() })
  .describe('Fields that are left out keep their value; null removes a limit.')
  .meta({ id: 'BudgetPatch' });
export type BudgetPatch = z.output<typeof BudgetPatch>;

export const BudgetList = z.strictObject({ items: z.array(Budget) }).meta({ id: 'BudgetList' });

export const budgetExample: Budget = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e90',
  organization_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71',
  subject: { kind: 'api_key', id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e70' },
  channel: 'sms',
  window: 'day',
  max_count: 200,
  max_amount_micros: 5_000_000,
  used_count: 17,
  used_micros: 170_000,
  resets_at: '2026-06-07T00:00:00.000Z',
  created_at: '2026-06-01T12:00:00.000Z',
  updated_at: '2026-06-01T12:00:00.000Z',
};

const one = { params: z.strictObject({ budget_id: Uuid }) };
const budget_success = { status: 200, body: Budget, example: budgetExample } as const;

export const budgets = defineOperations(
  'budgets',
  'Limits in count and money, per hour, day or month. Only owners and admins change them.',
  {
    create: {
      method: 'POST',
      path: '/v1/budgets',
      summary: 'Set a budget',
      description: `All budgets that apply must have room: a request above one of them gets 429 budget_exceeded. A call is cut to the length that its budgets pay. At most ${limits.budgets_per_subject} per subject.`,
      body: BudgetCreate,
      body_example: {
        subject: budgetExample.subject,
        channel: 'sms',
        window: 'day',
        max_count: 200,
        max_amount_micros: 5_000_000,
      },
      success: { status: 201, body: Budget, example: budgetExample },
      errors: ['person_required', 'budget_subject_not_found', 'too_many_budgets'],
    },
    list: {
      method: 'GET',
      path: '/v1/budgets',
      summary: 'List budgets with what is used of them',
      description: `All of them, at most ${limits.budgets}.`,
      success: { status: 200, body: BudgetList, example: { items: [budgetExample] } },
    },
    get: {
      method: 'GET',
      path: '/v1/budgets/{budget_id}',
      summary: 'Read one budget',
      ...one,
      success: budget_success,
    },
    update: {
      method: 'PATCH',
      path: '/v1/budgets/{budget_id}',
      summary: 'Change the limits of a budget',
      ...one,
      body: BudgetPatch,
      body_example: { max_count: 300 },
      success: { ...budget_success, example: { ...budgetExample, max_count: 300 } },
      errors: ['person_required'],
    },
    delete: {
      method: 'DELETE',
      path: '/v1/budgets/{budget_id}',
      summary: 'Remove a budget',
      ...one,
      success: { status: 204 },
      errors: ['person_required'],
    },
  },
);
