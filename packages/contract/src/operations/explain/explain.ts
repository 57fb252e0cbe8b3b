// Explain: what happened to a call, an email, a text, a webhook delivery or an approval, from the request to a verdict.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';
import { explanationParties, explanationRetries } from './explanation-definition.ts';

export const explainedNouns = ['call', 'email', 'sms', 'webhook_delivery', 'approval'] as const;
export type ExplainedNoun = (typeof explainedNouns)[number];

/** Where an entry of the timeline comes from, in the order of a send. */
export const explanationLayers = [
  'api',
  'record',
  'guard',
  'approval',
  'provider',
  'carrier',
  'speech',
  'funds',
  'webhook',
] as const;

export const ExplanationVerdict = z
  .strictObject({
    code: z.string().describe('The end reason, error code, kind of hold or status that decides.'),
    who: z
      .enum(explanationParties)
      .describe(
        'Who caused it. policy: a rule of your organization or the operator. parley: this service. none: it went as requested, or still runs.',
      ),
    summary: z.string(),
    fix: z.string(),
    retry: z
      .enum(explanationRetries)
      .describe(
        'no: the same again does not help. later: it may work after some time. now: repeat it once fixed. now_with_new_key: once fixed, send a new request with a new Idempotency-Key.',
      ),
    detail: z.string().nullable().describe('The words of the carrier, the mail server or the rule.'),
  })
  .meta({ id: 'ExplanationVerdict' });
export type ExplanationVerdict = z.infer<typeof ExplanationVerdict>;

export const ExplanationEntry = z
  .strictObject({
    at: Timestamp,
    layer: z.enum(explanationLayers),
    what: z.string(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ExplanationEntry' });
export type ExplanationEntry = z.infer<typeof ExplanationEntry>;

export const Explanation = z
  .strictObject({
    object: z.strictObject({ noun: z.enum(explainedNouns), id: Uuid, status: z.string() }),
    verdict: ExplanationVerdict,
    timeline: z
      .array(ExplanationEntry)
      .describe(`Oldest first, at most ${limits.explanation_entries} entries.`),
    cost: z
      .strictObject({ micros: z.int(), ledger_entry_ids: z.array(Uuid) })
      .nullable()
      .describe('What the ledger charged for it; null if nothing.'),
    is_complete: z.boolean().describe('false if entries were left out because there are too many.'),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof Explanation>;

const sms_id = '019a8c1e-6f70-7182-8394-0e1f20314253';
const example: Explanation = {
  object: { noun: 'sms', id: sms_id, status: 'undelivered' },
  verdict: {
    code: 'filtered',
    who: 'carrier',
    summary: 'A network held the text back as spam or unregistered traffic.',
    fix: 'Register the sender with the carrier for this country.',
    retry: 'no',
    detail: null,
  },
  timeline: [
    {
      at: '2026-06-06T12:00:00.000Z',
      layer: 'api',
      what: 'request',
      detail: { request_id: 'req-1', operation: 'sms.create', status: 201 },
    },
    {
      at: '2026-06-06T12:00:04.000Z',
      layer: 'carrier',
      what: 'undelivered',
      detail: { provider_code: '30007' },
    },
  ],
  cost: null,
  is_complete: true,
};

const explained = { status: 200, body: Explanation, example } as const;

export const explain = defineOperations(
  'explain',
  'What happened to a call, a message, a webhook delivery or an approval: timeline and verdict.',
  {
    object: {
      method: 'GET',
      path: '/v1/explain/{object_id}',
      summary: 'Explain what happened to an object',
      description:
        'The id of a call, an email, a text, a webhook delivery or an approval. Returns every step from the request to the outcome, and a verdict with the culprit and a fix.',
      params: z.strictObject({ object_id: Uuid }),
      success: explained,
    },
    call: {
      method: 'GET',
      path: '/v1/calls/{call_id}/explain',
      summary: 'Explain a call',
      params: z.strictObject({ call_id: Uuid }),
      success: explained,
    },
    email: {
      method: 'GET',
      path: '/v1/emails/{email_id}/explain',
      summary: 'Explain an email',
      params: z.strictObject({ email_id: Uuid }),
      success: explained,
    },
    sms: {
      method: 'GET',
      path: '/v1/sms/{sms_id}/explain',
      summary: 'Explain a text',
      params: z.strictObject({ sms_id: Uuid }),
      success: explained,
    },
    delivery: {
      method: 'GET',
      path: '/v1/webhooks/{subscription_id}/deliveries/{delivery_id}/explain',
      summary: 'Explain a webhook delivery',
      params: z.strictObject({ subscription_id: Uuid, delivery_id: Uuid }),
      success: explained,
    },
    approval: {
      method: 'GET',
      path: '/v1/approvals/{approval_id}/explain',
      summary: 'Explain an approval and what waits for it',
      params: z.strictObject({ approval_id: Uuid }),
      success: explained,
    },
  },
);
