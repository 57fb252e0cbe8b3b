// The errors of the rules for sending: schedules, holds, approvals, budgets, consents and limits.
import { defineErrors } from '../error-definition.ts';

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
    when: 'A key or a program tried to change rules for sending, budgets or limits, to decide an approval, to lift what a person refused, to invite a person, or to give a member more rights.',
    fix: 'Sign in to the console as owner or admin. Without accounts, use the operator key of the server.',
  },
  recipient_not_in_conversation: {
    status: 403,
    message: 'The recipient does not belong to the conversation.',
    when: 'A conversation token was used to write to somebody who did not write in its conversation.',
    fix: 'Use a credential of the organization for other recipients.',
  },
  rules_changed: {
    status: 409,
    message: 'The rules were changed in the meantime.',
    when: 'The version in the request is not the current one.',
    fix: 'Read the rules again, and send your change with their version.',
  },
  no_approver: {
    status: 422,
    message: 'This rule has no approver.',
    when: 'A rule of an approval policy holds messages back, but no person is able to decide: it names nobody of the organization, or only links and no mail can be sent.',
    fix: 'Name a role or a member of the organization as approver. Without accounts, set PARLEY_OPERATOR_KEY and let the console decide. Links need a mail transport and members.',
  },
  not_allowed_by_policy: {
    status: 403,
    message: 'The approval policy refuses it.',
    when: 'A rule of the approval policy with then: refuse applies.',
    fix: 'Read GET /v1/approval-policy. A person can change the policy or send it themselves.',
  },
  too_many_approvals: {
    status: 429,
    message: 'Too many messages and calls wait for approval.',
    when: 'The organization has 500 pending approvals.',
    fix: 'Let a person decide about the pending ones first.',
  },
  approval_not_yours: {
    status: 403,
    message: 'You may not decide this approval.',
    when: 'The credential requested it itself, or is neither that of an approver nor a key issued with the scope approvals:write.',
    fix: 'An approver decides in the console or by the mailed link. Without accounts, use the operator key.',
  },
  approval_already_decided: {
    status: 409,
    message: 'The approval was already decided.',
    when: 'Another person was faster, it expired, or the record was canceled.',
    fix: 'Read the approval: its status says what happened.',
  },
  approval_payload_changed: {
    status: 409,
    message: 'What would be sent is not what you approved.',
    when: 'payload_sha256 is not that of the approval, or the waiting record changed.',
    fix: 'Read the approval again. If it shows something else than the record, reject it.',
  },
  approval_price_changed: {
    status: 409,
    message: 'The price rose since the approval was requested.',
    when: 'The price list changed. The approval has the new price now and still waits.',
    fix: 'Read the approval again, and approve it if the new price is right.',
  },
  budget_exceeded: {
    status: 429,
    message: 'A budget is used up.',
    when: 'A budget of the organization, the key, the connected program or the agent has no room for this call or message.',
    fix: 'Wait for the number of seconds in Retry-After, or ask an owner or admin to raise the budget (GET /v1/budgets shows it).',
  },
  budget_subject_not_found: {
    status: 422,
    message: 'The subject of the budget does not exist.',
    when: 'subject.id is not the id of a key, an OAuth grant or an agent of your organization.',
    fix: 'Use an id from GET /v1/api-keys, GET /v1/oauth-grants or GET /v1/agents.',
  },
  too_many_budgets: {
    status: 409,
    message: 'There are too many budgets.',
    when: 'The subject or the organization already has the largest number of budgets.',
    fix: 'Change or delete an existing budget; GET /v1/budgets lists them.',
  },
  new_recipient_capped: {
    status: 429,
    message: 'Too many new recipients were contacted today.',
    when: 'The recipient is neither contact nor member, nothing was exchanged with them in 365 days, and the limit of the day is reached.',
    fix: 'Wait for the number of seconds in Retry-After, or ask an owner or admin to raise new_recipients_per_day (GET /v1/contact-rules).',
  },
  recipient_capped: {
    status: 429,
    message: 'The recipient got too much today without answering.',
    when: 'The limit of messages or calls per person and day is reached, and the person did not write or call in between.',
    fix: 'Wait for an answer of the person or for the number of seconds in Retry-After. GET /v1/contact-rules shows the limit.',
  },
  quiet_hours: {
    status: 422,
    message: 'The recipient may not be contacted at this time of day.',
    when: 'It is outside the quiet hours’ window where the recipient is or may be, and the rule refuses instead of deferring, or no moment is inside the window in all zones that are possible for the number.',
    fix: 'Use scheduled_at with a time inside the window (GET /v1/quiet-hours). If you know where the recipient is, set time_zone of the contact.',
  },
  consent_not_recorded: {
    status: 422,
    message: 'No consent of the recipient is recorded.',
    when: 'The contact rules of the organization ask for recorded consents, and there is no active one for the recipient, the channel and the purpose.',
    fix: 'Ask the recipient for consent and record it with POST /v1/consents; GET /v1/consents/check says what is missing.',
  },
  already_handed_over: {
    status: 409,
    message: 'It was already handed over.',
    when: 'A message or call was canceled or moved to another time after it was sent, canceled or failed, or while it is being sent.',
    fix: 'Read the record: its status says what happened.',
  },
});
