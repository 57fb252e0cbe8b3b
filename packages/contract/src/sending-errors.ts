// The errors of the rules for sending: schedules, holds, approvals, budgets, consents and limits.
import { defineErrors } from './error-definition.ts';

export const sendingErrors = defineErrors({
  invalid_schedule: {
    status: 422,
    message: 'It cannot be scheduled for this time.',
    when: 'scheduled_at is too near, too far ahead, or in the past.',
    fix: 'Use a time from 10 seconds to 30 days ahead, or leave scheduled_at out to send immediately.',
  },
  held: {
    status: 409,
    message: 'It is held and was not sent.',
    when: 'A rule holds a message or call back that was to be sent now.',
    fix: 'Read the record: hold says what it waits for.',
  },
  batch_rejected: {
    status: 422,
    message: 'The batch was rejected, and none of its emails was sent.',
    when: 'An email of a batch with on_error reject_all cannot be sent, or no email of the batch can.',
    fix: 'Correct every entry of "errors" and send the batch again, or use on_error send_valid to send the others.',
  },
  person_required: {
    status: 403,
    message: 'Only a person may do that.',
    when: 'A key or a program tried to change rules for sending, budgets or limits, or to decide an approval.',
    fix: 'Sign in to the console as owner or admin. Without accounts, use the operator key of the server.',
  },
  already_handed_over: {
    status: 409,
    message: 'It was already handed over.',
    when: 'A message or call was canceled or moved to another time after it was sent, canceled or failed, or while it is being sent.',
    fix: 'Read the record: its status says what happened.',
  },
});
