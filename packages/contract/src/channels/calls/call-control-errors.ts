// The errors of live control and of transfers.
import { defineErrors } from '../../error-definition.ts';

export const callControlErrors = defineErrors({
  call_not_in_progress: {
    status: 409,
    message: 'The call has not been answered yet.',
    when: 'A command was sent to a call that waits, is dialed or rings.',
    fix: 'Wait for call.answered, or read the call until its status is in_progress.',
  },
  transfer_in_progress: {
    status: 409,
    message: 'The call is being transferred or was transferred.',
    when: 'A transfer of this call is under way, or the person talks to the colleague already.',
    fix: 'Read the field transfer of the call. After a failed transfer another one can be started.',
  },
  destination_unknown: {
    status: 422,
    message: 'The call has no such destination.',
    when: 'The transfer names a destination that the agent of the call does not have, or one without a phone number.',
    fix: 'Use the name of a destination of the agent with a phone number, or send the number as "to".',
  },
  command_not_possible: {
    status: 409,
    message: 'The command cannot be carried out now.',
    when: 'A machine answered, a transfer is under way, the carrier’s own agent speaks, or the process that runs the call does not respond.',
    fix: 'The detail names the reason. Nothing was done, so the same request may be sent again.',
  },
});
