// The errors of conversations and labels.
import { defineErrors } from '../error-definition.ts';

export const conversationErrors = defineErrors({
  conversation_not_mergeable: {
    status: 409,
    message: 'These conversations cannot be merged.',
    when: 'Both ids name the same conversation, or one is with a person and the other with a group.',
    fix: 'Merge two conversations of the same kind; GET /v1/conversations shows the kind.',
  },
  nothing_to_answer: {
    status: 409,
    message: 'The conversation has no message that can be answered.',
    when: 'No email or text was received in the conversation, or none on the requested channel.',
    fix: 'Use another channel, or send a new message with POST /v1/emails or POST /v1/sms.',
  },
  snooze_in_past: {
    status: 422,
    message: 'A conversation can only be snoozed until a time in the future.',
    when: 'status is snoozed and snoozed_until is missing or not in the future.',
    fix: 'Send snoozed_until with a future time.',
  },
  invalid_label: {
    status: 422,
    message: 'The label is not valid.',
    when: 'A label has other characters than lower-case letters, digits and . _ : -, or is longer than 50 characters.',
    fix: 'Use a label such as billing or order:1234.',
  },
  too_many_labels: {
    status: 422,
    message: 'There are too many labels.',
    when: 'The record would have more than 20 labels.',
    fix: 'Remove labels that are no longer needed.',
  },
  assignee_not_found: {
    status: 422,
    message: 'The assignee does not exist.',
    when: 'assignee.id is not the id of an agent or a member of your organization.',
    fix: 'Use an id from GET /v1/agents or GET /v1/members.',
  },
});
