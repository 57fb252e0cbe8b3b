// Why a webhook delivery failed: one explanation for each error of an attempt and each status of a delivery.

import type { StateOf } from '../../schema/lifecycle.ts';
import type { ExplanationDefinition } from '../explain/explanation-definition.ts';
import type { WebhookAttemptError, webhookDeliveryLifecycle } from './webhooks.ts';

const receiver = { who: 'you', retry: 'now' } as const;

export const webhookErrorExplanations = {
  bad_status: {
    ...receiver,
    summary: 'Your receiver responded with a status other than 2xx.',
    fix: 'Read response_body of the attempt and the log of your receiver. Let it respond 2xx as soon as the event is stored, then redeliver.',
  },
  redirect_not_followed: {
    ...receiver,
    summary: 'Your receiver responded with a redirect, which is not followed.',
    fix: 'Set target_url to the final address, then redeliver.',
  },
  timeout: {
    ...receiver,
    summary: 'Your receiver did not respond in time.',
    fix: 'Store the event, respond 2xx at once and process it afterwards, then redeliver.',
  },
  dns_failed: {
    ...receiver,
    summary: 'The host name of the URL could not be resolved.',
    fix: 'Correct the host name in target_url or its DNS record, then redeliver.',
  },
  connection_failed: {
    ...receiver,
    summary: 'The connection to your receiver was refused, reset or lost.',
    fix: 'Check that the receiver runs and that its port and firewall accept connections, then redeliver.',
  },
  tls_failed: {
    ...receiver,
    summary: 'The TLS handshake with your receiver failed.',
    fix: 'Renew the certificate, and send its intermediate certificates too, then redeliver.',
  },
  target_not_allowed: {
    who: 'policy',
    summary: 'This server may not connect to the address of the URL.',
    fix: 'Use a public https URL, or ask the operator to open the range with WEBHOOK_PRIVATE_TARGETS, then redeliver.',
    retry: 'now',
  },
  response_headers_too_large: {
    ...receiver,
    summary: 'The headers of the response were too large.',
    fix: 'Send fewer or shorter headers, such as cookies, then redeliver.',
  },
  response_invalid: {
    ...receiver,
    summary: 'The response was not valid HTTP.',
    fix: 'Check what listens on the port of the URL: it must speak HTTP/1.1. Then redeliver.',
  },
  internal_error: {
    who: 'parley',
    summary: 'The attempt failed because of an internal error.',
    fix: 'Redeliver. If it keeps failing, report the delivery id to the operator.',
    retry: 'now',
  },
} as const satisfies Record<WebhookAttemptError, ExplanationDefinition>;

export const webhookStatusExplanations = {
  pending: {
    who: 'none',
    summary: 'The delivery waits for its next attempt.',
    fix: 'Wait until next_attempt_at, or redeliver now.',
    retry: 'later',
  },
  delivered: {
    who: 'none',
    summary: 'Your receiver accepted the event.',
    fix: 'Nothing is wrong.',
    retry: 'no',
  },
  dead: {
    ...receiver,
    summary: 'All attempts failed, or the service gave the delivery up.',
    fix: 'Repair the receiver, then redeliver. If the service gave it up, only its operator can send it again.',
  },
} as const satisfies Record<StateOf<typeof webhookDeliveryLifecycle>, ExplanationDefinition>;
