// Why a rule stops or holds something: one explanation for each admission check, each kind of hold and each status of an approval.

import type { ExplanationDefinition } from '../operations/explain/explanation-definition.ts';
import type { CheckName } from './admission-checks.ts';
import type { ApprovalStatus } from './approvals/approvals.ts';
import type { HoldKind } from './approvals/hold.ts';

export const checkExplanations = {
  kill_switch: {
    who: 'policy',
    summary: 'A person stopped this channel for the whole service with the kill switch.',
    fix: 'Ask the operator when the channel opens, or watch GET /v1/channels, then send again.',
    retry: 'later',
  },
  conversation: {
    who: 'policy',
    summary: 'The credential may write in one conversation only, and the recipient does not belong to it.',
    fix: 'Send with a credential of the organization.',
    retry: 'now_with_new_key',
  },
  destination: {
    who: 'policy',
    summary: 'Numbers of this country or network may not be contacted.',
    fix: 'Check the country code. A person allows more countries with destinations in PUT /v1/contact-rules, the operator with PARLEY_DESTINATIONS.',
    retry: 'now_with_new_key',
  },
  suppression: {
    who: 'recipient',
    summary: 'The recipient is suppressed: they opted out, complained or bounced, or you suppressed them.',
    fix: 'Do not contact them. If they agreed again, a person or the operator removes the suppression; a program may only after they wrote again, or if a program added it. Then send again.',
    retry: 'no',
  },
  consent: {
    who: 'policy',
    summary: 'The contact rules ask for a recorded consent, and the recipient has given none.',
    fix: 'Ask the recipient for consent, record it with POST /v1/consents, and send again.',
    retry: 'now_with_new_key',
  },
  quiet_hours: {
    who: 'policy',
    summary: 'The recipient may not be contacted at this time of day.',
    fix: 'Send with scheduled_at inside the window of GET /v1/quiet-hours, or set time_zone of the contact.',
    retry: 'later',
  },
  recipients: {
    who: 'policy',
    summary: 'A daily limit of recipients, or of messages to one person, is reached.',
    fix: 'Wait until tomorrow (UTC) or for an answer of the person. An owner or admin can raise the limit with PUT /v1/contact-rules.',
    retry: 'later',
  },
  velocity: {
    who: 'policy',
    summary: 'The organization reached its hourly cap.',
    fix: 'Send fewer per hour, or ask the operator to raise the cap.',
    retry: 'later',
  },
  budget: {
    who: 'policy',
    summary: 'A budget is used up.',
    fix: 'GET /v1/budgets shows which one. Wait for its next period, or let an owner or admin raise it, then send again.',
    retry: 'later',
  },
  funds: {
    who: 'you',
    summary: 'The balance of the organization is too low.',
    fix: 'Ask the operator to credit the organization (GET /v1/funds shows the balance), then send again.',
    retry: 'now_with_new_key',
  },
  llm: {
    who: 'you',
    summary: 'The call has no language model.',
    fix: 'Set one with PUT /v1/providers/llm, or send "llm" with the call, then place it again.',
    retry: 'now_with_new_key',
  },
  approval: {
    who: 'policy',
    summary: 'The approval policy refuses it, or asks a person first.',
    fix: 'Read GET /v1/approval-policy. A person can approve what waits, change the policy, or send it themselves.',
    retry: 'later',
  },
} as const satisfies Record<CheckName, ExplanationDefinition>;

export const holdExplanations = {
  approval: {
    who: 'policy',
    summary: 'It waits until a person approves it.',
    fix: 'An approver decides in the console, by the mailed link, or with POST /v1/approvals/{approval_id}/approve. The operator key decides without accounts.',
    retry: 'no',
  },
  schedule: {
    who: 'you',
    summary: 'It waits for the time that the request asked for.',
    fix: 'Wait for scheduled_at, move it with PATCH, or cancel it.',
    retry: 'no',
  },
  quiet_hours: {
    who: 'policy',
    summary: 'It waits until the recipient may be contacted at this time of day.',
    fix: 'Wait for the end of the quiet hours. An owner or admin can change them with PUT /v1/quiet-hours; what already waits keeps its time, so cancel it and send it again.',
    retry: 'no',
  },
  recipient_limit: {
    who: 'policy',
    summary: 'It waits because a daily limit of recipients is reached.',
    fix: 'Wait until tomorrow (UTC). An owner or admin can raise the limit with PUT /v1/contact-rules; what already waits keeps its time, so cancel it and send it again.',
    retry: 'no',
  },
  kill_switch: {
    who: 'policy',
    summary: 'It waits because the operator stopped the channel.',
    fix: 'Wait until the operator turns the kill switch off. It is then sent by itself, unless it is outdated.',
    retry: 'no',
  },
} as const satisfies Record<HoldKind, ExplanationDefinition>;

export const approvalExplanations = {
  pending: holdExplanations.approval,
  approved: {
    who: 'none',
    summary: 'A person approved it.',
    fix: 'Nothing is wrong. Explain the object to see whether it was sent.',
    retry: 'no',
  },
  rejected: {
    who: 'policy',
    summary: 'A person rejected it.',
    fix: 'Read the note. Change what it names and send a new request.',
    retry: 'now_with_new_key',
  },
  expired: {
    who: 'policy',
    summary: 'It expired before a person decided.',
    fix: 'Tell an approver, and send a new request.',
    retry: 'now_with_new_key',
  },
  canceled: {
    who: 'you',
    summary: 'What waited for it was canceled.',
    fix: 'Send it again if it is still needed.',
    retry: 'now_with_new_key',
  },
} as const satisfies Record<ApprovalStatus, ExplanationDefinition>;
