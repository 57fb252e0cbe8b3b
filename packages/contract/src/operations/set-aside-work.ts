// Set-aside work: background work that the service does not run again by itself; visible to superadmins only.
import { z } from 'zod';
import { defineOperations } from '../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';

export const setAsideQueues = ['jobs', 'projections', 'texts', 'webhook_deliveries'] as const;
export type SetAsideQueue = (typeof setAsideQueues)[number];

export const setAsideReasons = ['process_ended', 'failed'] as const;
export type SetAsideReason = (typeof setAsideReasons)[number];

export const SetAsideWork = z
  .strictObject({
    id: Uuid,
    queue: z
      .enum(setAsideQueues)
      .describe(
        'jobs: a background job. projections: a record that could not be written into search and other views. texts, webhook_deliveries: one that could not be sent.',
      ),
    kind: z
      .string()
      .describe('The kind of the job or record, or the type of the event that was to be delivered.'),
    organization_id: Uuid.nullable().describe('Null: the work belongs to no organization, or does not say.'),
    object_id: Uuid.describe('The id of the job, record, text or delivery.'),
    reason: z
      .enum(setAsideReasons)
      .describe(
        'process_ended: the process ended at least twice while it ran. failed: every attempt ended with an error.',
      ),
    lost_runs: z.number().int().describe('Runs that began and never ended.'),
    failed_runs: z.number().int().describe('Runs that ended with an error.'),
    last_error: z.string().describe('Without addresses and phone numbers.'),
    can_run_again: z
      .boolean()
      .describe(
        'false: it has its final state, such as a failed text, and only its sender can repeat it. A webhook delivery runs again as a redelivery.',
      ),
    queued_at: Timestamp.describe('When the work was created.'),
    set_aside_at: Timestamp,
  })
  .meta({ id: 'SetAsideWork' });
export type SetAsideWork = z.infer<typeof SetAsideWork>;

const example: SetAsideWork = {
  id: '019a8c1e-9b2a-7c31-9d5e-3f1b2c4d5e80',
  queue: 'projections',
  kind: 'email',
  organization_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71',
  object_id: '019a8c1e-8b2a-7c31-9d5e-3f1b2c4d5e81',
  reason: 'process_ended',
  lost_runs: 2,
  failed_runs: 0,
  last_error: 'The process ended, or lost its lease, while this ran.',
  can_run_again: true,
  queued_at: '2026-06-06T12:00:00.000Z',
  set_aside_at: '2026-06-06T12:02:00.000Z',
};

const one = { params: z.strictObject({ set_aside_work_id: Uuid }) };

export const setAsideWork = defineOperations(
  'set_aside_work',
  'Background work that the service gave up; superadmins only.',
  {
    list: {
      method: 'GET',
      path: '/v1/admin/set-aside-work',
      summary: 'List set-aside work, newest first',
      description: 'Entries are deleted after 30 days; only the newest 10,000 are kept.',
      access: 'superadmin',
      query: z.strictObject({
        ...pageQuery,
        queue: z.enum(setAsideQueues).optional(),
        kind: z.string().min(1).max(100).optional(),
        reason: z.enum(setAsideReasons).optional(),
        organization_id: Uuid.optional(),
      }),
      success: {
        status: 200,
        body: pageOf(SetAsideWork, 'SetAsideWorkPage'),
        example: { items: [example], next_cursor: null },
      },
    },
    get: {
      method: 'GET',
      path: '/v1/admin/set-aside-work/{set_aside_work_id}',
      summary: 'Get one entry of set-aside work',
      access: 'superadmin',
      ...one,
      success: { status: 200, body: SetAsideWork, example },
    },
    run: {
      method: 'POST',
      path: '/v1/admin/set-aside-work/{set_aside_work_id}/run',
      summary: 'Run set-aside work again',
      description:
        'Puts the work back into its queue, with its runs counted from zero, and deletes the entry. If the process ends again, the work is set aside again.',
      access: 'superadmin',
      ...one,
      success: { status: 204 },
      errors: ['cannot_run_again'],
    },
    delete: {
      method: 'DELETE',
      path: '/v1/admin/set-aside-work/{set_aside_work_id}',
      summary: 'Delete set-aside work without running it',
      access: 'superadmin',
      ...one,
      success: { status: 204 },
    },
  },
);
