// The errors of webhook certifications, and of deliveries that the service gave up.
import { defineErrors } from '../../error-definition.ts';
import { limits } from '../../limits.ts';

export const webhookCertificationErrors = defineErrors({
  delivery_set_aside: {
    status: 409,
    message: 'The service gave this delivery up.',
    when: 'The service ended several times while it sent the delivery, so only its operator can send it again.',
    fix: 'Ask the operator of the service to run it again: it is in the list of set-aside work. Read the event itself from GET /v1/events.',
  },
  certification_running: {
    status: 409,
    message: 'This subscription is being checked already.',
    when: 'A certification of the subscription was started and has not ended.',
    fix: 'Read the running certification until its status is done.',
  },
  too_many_certifications: {
    status: 429,
    message: 'The subscription was checked too often today.',
    when: `The subscription was certified ${limits.webhook_certifications_per_day} times within 24 hours.`,
    fix: 'Try again tomorrow, or check the receiver on your machine with parley webhooks certify --local.',
  },
});
