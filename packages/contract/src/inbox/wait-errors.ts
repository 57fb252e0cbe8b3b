// The errors of waits.
import { defineErrors } from '../error-definition.ts';

export const waitErrors = defineErrors({
  wait_already_over: {
    status: 409,
    message: 'The wait is already over.',
    when: 'A wait that was resolved, expired or canceled is to be canceled.',
    fix: 'Read it with GET /v1/waits/{wait_id}: its status and matched say how it ended.',
  },
  wait_target_not_found: {
    status: 422,
    message: 'What the wait names does not exist.',
    when: 'A condition names a conversation, call, email, text or approval that does not exist, or an outcome of a received message.',
    fix: 'Use the id of a record of your organization; errors names the condition.',
  },
  invalid_wait_time: {
    status: 422,
    message: 'The times of the wait are not allowed.',
    when: 'since is more than 24 hours ago or in the future, or expires_at is in the past or more than 30 days ahead.',
    fix: 'Leave since and expires_at out, or use times within these limits.',
  },
  too_many_waits: {
    status: 429,
    message: 'Too many waits are pending.',
    when: 'The organization has 1,000 pending waits, or the conversation of a conversation token has 20.',
    fix: 'Cancel waits that are no longer needed, or give waits a shorter time with expires_at.',
  },
});
