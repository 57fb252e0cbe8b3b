// Webhooks: which events are delivered to which URL, and the log of every delivery.
import { z } from 'zod';
import { EventTypeName } from '../../event-types.ts';
import { limits, nil_uuid } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../../schema/fields.ts';
import { defineLifecycle } from '../../schema/lifecycle.ts';
import { certifyOperations } from './webhook-certifications.ts';

/** When each attempt is due, in seconds after the first attempt. */
export const webhookLadderSeconds = [0, 30, 120, 600, 3600, 21_600, 86_400] as const;

/** This number of consecutive failed deliveries disables an organization-wide subscription. */
export const webhookDeadStreakLimit = 50;

export const webhookSubscriptionLifecycle = defineLifecycle({
  subject: 'webhook_subscription',
  initial: 'active',
  states: ['active', 'disabled'],
  moves: {
    switched_off: { from: ['active'], to: 'disabled' },
    kept_failing: { from: ['active'], to: 'disabled' },
    switched_on: { from: ['disabled'], to: 'active' },
  },
});

export const webhookDeliveryLifecycle = defineLifecycle({
  subject: 'webhook_delivery',
  initial: 'pending',
  states: ['pending', 'delivered', 'dead'],
  moves: {
    accepted: { from: ['pending'], to: 'delivered' },
    exhausted: { from: ['pending'], to: 'dead' },
    set_aside: { from: ['pending'], to: 'dead' },
    redelivered: { from: ['dead'], to: 'pending' },
  },
});

/** Why an attempt failed. */
export const webhookAttemptErrors = {
  bad_status: 'The receiver responded with a status other than 2xx.',
  redirect_not_followed: 'The receiver responded with a redirect. Redirects are not followed.',
  timeout: 'The receiver did not respond in time.',
  dns_failed: 'The host name of the URL could not be resolved.',
  connection_failed: 'The connection was refused, reset or lost.',
  tls_failed: 'The TLS handshake failed, or the certificate is not valid for the name.',
  target_not_allowed: 'This server is not allowed to connect to the address of the URL.',
  response_headers_too_large: 'The headers of the response were too large.',
  response_invalid: 'The response was not valid HTTP.',
  internal_error: 'The attempt failed because of an internal error.',
} as const;
export type WebhookAttemptError = keyof typeof webhookAttemptErrors;

const TargetUrl = z
  .string()
  .min(1)
  .max(limits.webhook_url_chars)
  .describe('The URL events are sent to: http or https, without a user name or password.');

const EventTypes = z
  .array(EventTypeName)
  .min(1, 'Expected at least one event type')
  .max(limits.webhook_event_types)
  .transform((types) => [...new Set(types)])
  .meta({
    description: 'The event types to deliver.',
    json_schema: { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/EventTypeName' } },
  });

const subscriptionFields = {
  id: Uuid,
  organization_id: Uuid,
  target_url: z.string(),
  event_types: z.array(z.string()),
  email_domain_id: Uuid.nullable().describe('If set, only events of this email domain are delivered.'),
  status: z.enum(webhookSubscriptionLifecycle.states).describe('disabled: no event is queued or delivered.'),
  disabled_reason: z
    .enum(['switched_off', 'kept_failing'])
    .nullable()
    .describe(`kept_failing: ${webhookDeadStreakLimit} consecutive deliveries failed.`),
  dead_streak: z.number().int().describe('Consecutive failed deliveries since the last successful one.'),
  recent_deliveries: z
    .strictObject({
      count: z.number().int(),
      failed_count: z.number().int().describe('Those whose last attempt failed.'),
      failing_since: Timestamp.nullable().describe(
        'The first failure after the last success; null if the last attempt succeeded.',
      ),
      last_failed_at: Timestamp.nullable(),
      last_error: z.string().nullable(),
    })
    .meta({ id: 'WebhookRecentDeliveries' })
    .describe('The newest deliveries that were attempted, at most 50.'),
  previous_secret_expires_at: Timestamp.nullable().describe(
    'Until this time deliveries are also signed with the previous secret.',
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const WebhookSubscription = z.strictObject(subscriptionFields).meta({ id: 'WebhookSubscription' });
export type WebhookSubscription = z.infer<typeof WebhookSubscription>;

export const WebhookSubscriptionWithSecret = z
  .strictObject({
    ...subscriptionFields,
    secret: z.string().describe('Used to verify deliveries. Returned only in this response.'),
  })
  .meta({ id: 'WebhookSubscriptionWithSecret' });
export type WebhookSubscriptionWithSecret = z.infer<typeof WebhookSubscriptionWithSecret>;

export const WebhookSubscriptionCreate = z
  .strictObject({
    target_url: TargetUrl,
    event_types: EventTypes,
    email_domain_id: Uuid.nullish().describe('Limits the subscription to one email domain.'),
  })
  .meta({ id: 'WebhookSubscriptionCreate' });
export type WebhookSubscriptionCreate = z.output<typeof WebhookSubscriptionCreate>;

export const WebhookSubscriptionPatch = z
  .strictObject({
    target_url: TargetUrl.optional(),
    event_types: EventTypes.optional(),
    status: z
      .enum(webhookSubscriptionLifecycle.states)
      .optional()
      .describe('active resets the failure count and resumes waiting deliveries.'),
  })
  .describe('Fields that are left out keep their value.')
  .meta({ id: 'WebhookSubscriptionPatch' });
export type WebhookSubscriptionPatch = z.output<typeof WebhookSubscriptionPatch>;

export const WebhookAttempt = z
  .strictObject({
    attempted_at: Timestamp,
    status_code: z.number().int().nullable().describe('null if there was no response.'),
    duration_ms: z.number().int(),
    error: z
      .enum(Object.keys(webhookAttemptErrors) as [WebhookAttemptError, ...WebhookAttemptError[]])
      .nullable()
      .describe('null if the receiver accepted the event.'),
    response_body: z
      .string()
      .nullable()
      .describe(`The first ${limits.webhook_response_bytes} bytes of the response, as text.`),
  })
  .meta({ id: 'WebhookAttempt' });
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

const deliveryFields = {
  id: Uuid.describe('The X-Service-Delivery header; the same on every attempt.'),
  organization_id: Uuid,
  subscription_id: Uuid,
  event_id: Uuid,
  event_type: z.string(),
  is_test: z.boolean(),
  status: z.enum(webhookDeliveryLifecycle.states),
  attempt_count: z.number().int(),
  last_status_code: z.number().int().nullable(),
  last_error: z.string().nullable(),
  next_attempt_at: Timestamp.nullable().describe('null if no attempt is scheduled.'),
  created_at: Timestamp,
  delivered_at: Timestamp.nullable(),
};

export const WebhookDelivery = z.strictObject(deliveryFields).meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryWithAttempts = z
  .strictObject({
    ...deliveryFields,
    attempts: z
      .array(WebhookAttempt)
      .describe(`Oldest first; the newest ${limits.webhook_attempts_kept} are stored.`),
  })
  .meta({ id: 'WebhookDeliveryWithAttempts' });
export type WebhookDeliveryWithAttempts = z.infer<typeof WebhookDeliveryWithAttempts>;

/** Of a new subscription. */
export const no_recent_deliveries: WebhookSubscription['recent_deliveries'] = {
  count: 0,
  failed_count: 0,
  failing_since: null,
  last_failed_at: null,
  last_error: null,
};

const subscriptionExample: WebhookSubscription = {
  id: '019a8c1e-c001-7d11-8e22-1f3a4b5c6d7e',
  organization_id: nil_uuid,
  target_url: 'https://example.com/hooks/parley',
  event_types: ['call.completed', 'call.failed'],
  email_domain_id: null,
  status: 'active',
  disabled_reason: null,
  dead_streak: 0,
  recent_deliveries: no_recent_deliveries,
  previous_secret_expires_at: null,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
};
const with_secret = {
  ...subscriptionExample,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};
const deliveryExample: WebhookDelivery = {
  id: '019a8c1e-d001-7e11-8f22-2a3b4c5d6e7f',
  organization_id: nil_uuid,
  subscription_id: subscriptionExample.id,
  event_id: '019a8c1e-aaaa-7bbb-8ccc-0d1e2f304151',
  event_type: 'call.completed',
  is_test: false,
  status: 'pending',
  attempt_count: 1,
  last_status_code: 503,
  last_error: 'bad_status',
  next_attempt_at: '2026-06-06T12:01:34.000Z',
  created_at: '2026-06-06T12:01:04.000Z',
  delivered_at: null,
};

const one = { params: z.strictObject({ subscription_id: Uuid }) };
const oneDelivery = { params: z.strictObject({ subscription_id: Uuid, delivery_id: Uuid }) };

export const webhooks = defineOperations(
  'webhooks',
  'Signed HTTP requests to your server for each event, with a log of every attempt.',
  {
    create: {
      method: 'POST',
      path: '/v1/webhooks',
      summary: 'Subscribe a URL to events',
      description: 'The response contains the signing secret, which is returned only once.',
      body: WebhookSubscriptionCreate,
      body_example: {
        target_url: 'https://example.com/hooks/parley',
        event_types: ['call.completed', 'call.failed'],
      },
      success: { status: 201, body: WebhookSubscriptionWithSecret, example: with_secret },
      errors: ['target_not_allowed', 'too_many_webhooks'],
    },
    list: {
      method: 'GET',
      path: '/v1/webhooks',
      summary: 'List subscriptions, newest first',
      query: z.strictObject(pageQuery),
      success: {
        status: 200,
        body: pageOf(WebhookSubscription, 'WebhookSubscriptionPage'),
        example: { items: [subscriptionExample], next_cursor: null },
      },
    },
    get: {
      method: 'GET',
      path: '/v1/webhooks/{subscription_id}',
      summary: 'Read one subscription',
      ...one,
      success: { status: 200, body: WebhookSubscription, example: subscriptionExample },
    },
    update: {
      method: 'PATCH',
      path: '/v1/webhooks/{subscription_id}',
      summary: 'Change, disable or enable a subscription',
      ...one,
      body: WebhookSubscriptionPatch,
      body_example: { status: 'active' },
      success: { status: 200, body: WebhookSubscription, example: subscriptionExample },
      errors: ['target_not_allowed'],
    },
    delete: {
      method: 'DELETE',
      path: '/v1/webhooks/{subscription_id}',
      summary: 'Delete a subscription and its log',
      ...one,
      success: { status: 204 },
    },
    rotate_secret: {
      method: 'POST',
      path: '/v1/webhooks/{subscription_id}/rotate-secret',
      summary: 'Replace the signing secret',
      description: `The new secret is returned only once. For ${limits.webhook_secret_overlap_hours} hours deliveries are signed with both secrets.`,
      ...one,
      success: {
        status: 200,
        body: WebhookSubscriptionWithSecret,
        example: { ...with_secret, previous_secret_expires_at: '2026-06-07T12:00:00.000Z' },
      },
    },
    test: {
      method: 'POST',
      path: '/v1/webhooks/{subscription_id}/test',
      summary: 'Send an example event to one subscription',
      description:
        'Makes one immediate attempt with the example of its first event type. Read the delivery to see the result. The event is not added to the event log, and a failure is not counted.',
      ...one,
      success: {
        status: 201,
        body: WebhookDelivery,
        example: {
          ...deliveryExample,
          is_test: true,
          attempt_count: 0,
          last_status_code: null,
          last_error: null,
        },
      },
    },
    list_deliveries: {
      method: 'GET',
      path: '/v1/webhooks/{subscription_id}/deliveries',
      summary: 'List the deliveries of a subscription, newest first',
      ...one,
      query: z.strictObject({
        ...pageQuery,
        status: z
          .enum(webhookDeliveryLifecycle.states)
          .optional()
          .describe('Only deliveries with this status.'),
      }),
      success: {
        status: 200,
        body: pageOf(WebhookDelivery, 'WebhookDeliveryPage'),
        example: { items: [deliveryExample], next_cursor: null },
      },
    },
    get_delivery: {
      method: 'GET',
      path: '/v1/webhooks/{subscription_id}/deliveries/{delivery_id}',
      summary: 'Read one delivery with its attempts',
      ...oneDelivery,
      success: {
        status: 200,
        body: WebhookDeliveryWithAttempts,
        example: {
          ...deliveryExample,
          attempts: [
            {
              attempted_at: '2026-06-06T12:01:04.000Z',
              status_code: 503,
              duration_ms: 41,
              error: 'bad_status',
              response_body: 'try later',
            },
          ],
        },
      },
    },
    redeliver: {
      method: 'POST',
      path: '/v1/webhooks/{subscription_id}/deliveries/{delivery_id}/redeliver',
      summary: 'Send one delivery again',
      description:
        'Makes one immediate attempt with the same delivery id and body, whatever the status of the delivery and of its subscription. Scheduled attempts are not changed.',
      ...oneDelivery,
      success: { status: 200, body: WebhookDelivery, example: deliveryExample },
      errors: ['delivery_set_aside'],
    },
    ...certifyOperations,
  },
);
