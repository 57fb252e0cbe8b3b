// Checks of a webhook receiver: how it answers valid, forged, stale, repeated and parallel deliveries.
import { z } from 'zod';
import { limits, nil_uuid } from '../../limits.ts';
import type { Operation } from '../../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../../schema/fields.ts';

const Answer = z.strictObject({
  status: z.number().int().nullable().describe('null if there was no response.'),
  duration_ms: z.number().int(),
  problem: z.string().nullable(),
  is_duplicate: z.boolean(),
});

export const WebhookCertification = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    subscription_id: Uuid,
    status: z.enum(['running', 'done', 'failed']).describe('failed: the check itself could not be finished.'),
    score: z.number().int().nullable().describe('0 to 100.'),
    grade: z.enum(['A', 'B', 'C', 'F']).nullable(),
    cases: z
      .array(
        z.strictObject({
          name: z.string(),
          weight: z.number().int(),
          passed: z.boolean(),
          expected: z.string(),
          got: z.array(Answer),
          advice: z.string().nullable().describe('What to change; null if it passed.'),
        }),
      )
      .nullable(),
    duration_ms: z.number().int().nullable(),
    created_at: Timestamp,
    done_at: Timestamp.nullable(),
  })
  .meta({ id: 'WebhookCertification' });
export type WebhookCertification = z.infer<typeof WebhookCertification>;

const running: WebhookCertification = {
  id: '019a8c1e-e001-7f11-8a22-3b4c5d6e7f80',
  organization_id: nil_uuid,
  subscription_id: '019a8c1e-c001-7d11-8e22-1f3a4b5c6d7e',
  status: 'running',
  score: null,
  grade: null,
  cases: null,
  duration_ms: null,
  created_at: '2026-06-06T12:00:00.000Z',
  done_at: null,
};
const done: WebhookCertification = {
  ...running,
  status: 'done',
  score: 100,
  grade: 'A',
  cases: [
    {
      name: 'valid',
      weight: 15,
      passed: true,
      expected: 'A status of 2xx within 5 seconds.',
      got: [{ status: 204, duration_ms: 12, problem: null, is_duplicate: false }],
      advice: null,
    },
  ],
  duration_ms: 412,
  done_at: '2026-06-06T12:00:01.000Z',
};

const one = { params: z.strictObject({ subscription_id: Uuid }) };

/** Part of the operations of webhooks. */
export const certifyOperations = {
  certify: {
    method: 'POST',
    path: '/v1/webhooks/{subscription_id}/certify',
    summary: 'Check how the receiver handles deliveries',
    description: `Sends valid, forged, stale, repeated, large and parallel requests; their bodies have data.certification: true. Read the certification until its status is done. At most ${limits.webhook_certifications_per_day} a day for each subscription; failures are not counted against it.`,
    ...one,
    success: { status: 201, body: WebhookCertification, example: running },
    errors: ['certification_running', 'too_many_certifications'],
  },
  list_certifications: {
    method: 'GET',
    path: '/v1/webhooks/{subscription_id}/certifications',
    summary: 'List the certifications of a subscription, newest first',
    ...one,
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(WebhookCertification, 'WebhookCertificationPage'),
      example: { items: [done], next_cursor: null },
    },
  },
  get_certification: {
    method: 'GET',
    path: '/v1/webhooks/{subscription_id}/certifications/{certification_id}',
    summary: 'Read one certification',
    params: z.strictObject({ subscription_id: Uuid, certification_id: Uuid }),
    success: { status: 200, body: WebhookCertification, example: done },
  },
} as const satisfies Record<string, Operation>;
