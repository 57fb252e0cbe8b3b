// The errors of call results.
import { defineErrors } from '../../error-definition.ts';

export const callResultErrorCodes = defineErrors({
  call_not_ended: {
    status: 409,
    message: 'The call has not ended yet.',
    when: 'A result of a call that is queued or in progress is requested.',
    fix: 'Wait for the end with GET /v1/calls/{call_id}?wait_seconds=55. The result follows without a request.',
  },
  result_pending: {
    status: 409,
    message: 'The result of the call is already being made.',
    when: 'A result is requested while result_status is pending.',
    fix: 'Wait for it with GET /v1/calls/{call_id}?wait_seconds=55&wait_for=result.',
  },
});
