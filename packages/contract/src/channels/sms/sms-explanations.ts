// Why a text ended as it did: one explanation for each error code and each status of a text.
import type { ExplanationDefinition } from '../../operations/explain/explanation-definition.ts';
import type { StateOf } from '../../schema/lifecycle.ts';
import type { SmsErrorCode } from './sms.ts';
import type { smsLifecycle } from './sms-lifecycle.ts';

const done = { who: 'none', retry: 'no' } as const;

export const smsErrorExplanations = {
  recipient_opted_out: {
    who: 'recipient',
    summary: 'The recipient does not want texts from this sender.',
    fix: 'Do not text this number. It is suppressed until the person texts START to the sender. If they agreed in another way, let a person remove the suppression; a carrier that keeps its own list still refuses until it gets START.',
    retry: 'no',
  },
  invalid_recipient: {
    who: 'recipient',
    summary: 'The number does not exist or cannot receive texts.',
    fix: 'Correct the number of the contact, or call or write an email.',
    retry: 'no',
  },
  invalid_sender: {
    who: 'you',
    summary: 'The sender may not be used for this recipient.',
    fix: 'Send from an active number of GET /v1/numbers that may text this country, or leave "from" out.',
    retry: 'now_with_new_key',
  },
  unreachable: {
    who: 'recipient',
    summary: 'The phone was off or out of coverage for too long.',
    fix: 'Send it again later with a new Idempotency-Key.',
    retry: 'later',
  },
  filtered: {
    who: 'carrier',
    summary: 'A network held the text back as spam.',
    fix: 'Write a plainer text without short links, send it only to people who expect it, and send again.',
    retry: 'now_with_new_key',
  },
  sender_not_registered: {
    who: 'you',
    summary: 'The sender is not registered for texts to this country, so the networks block them.',
    fix: 'Register it with POST /v1/verifications: us_brand and us_campaign for a US local number, toll_free for a toll-free one. Send again when it is approved.',
    retry: 'now_with_new_key',
  },
  code_withheld: {
    who: 'carrier',
    summary: 'The carrier holds back texts with one-time codes (Twilio: error 30038).',
    fix: 'Use an email address or a number of another carrier where codes are expected; for codes that you send, use the carrier’s own product for verification.',
    retry: 'no',
  },
  rejected: {
    who: 'carrier',
    summary: 'The carrier rejected the text.',
    fix: 'Look the provider_code up with the carrier, correct what it names, and send again.',
    retry: 'now_with_new_key',
  },
  carrier_unavailable: {
    who: 'carrier',
    summary: 'The carrier did not accept the text in time.',
    fix: 'Read the detail. Check the credentials of the carrier, its status page and its limits per sender, then send again.',
    retry: 'later',
  },
  unconfirmed: {
    who: 'carrier',
    summary: 'The response of the carrier was lost: the text may have been sent.',
    fix: 'Do not send it again blindly: ask the recipient, or look for the text in the log of the carrier.',
    retry: 'no',
  },
  undelivered: {
    who: 'carrier',
    summary: 'The carrier reported without a reason that the text did not arrive.',
    fix: 'Send it again later. If it keeps failing, use another channel.',
    retry: 'later',
  },
  not_allowed: {
    who: 'policy',
    summary: 'A rule stopped the text before it was sent.',
    fix: 'The admission entry of the timeline names the rule. Change the rule, or send when it allows it.',
    retry: 'later',
  },
  canceled: {
    who: 'you',
    summary: 'The text was canceled before it was sent.',
    fix: 'Send it again if it is still needed.',
    retry: 'now_with_new_key',
  },
  approval_rejected: {
    who: 'policy',
    summary: 'A person rejected the text.',
    fix: 'Read the note of the approval. Change the text accordingly and send a new one.',
    retry: 'now_with_new_key',
  },
  approval_expired: {
    who: 'policy',
    summary: 'The approval expired before a person decided.',
    fix: 'Tell an approver, and send the text again.',
    retry: 'now_with_new_key',
  },
} as const satisfies Record<SmsErrorCode, ExplanationDefinition>;

export const smsStatusExplanations = {
  queued: { ...done, summary: 'The text waits to be sent.', fix: 'Read it again in some seconds.' },
  sent: {
    ...done,
    summary: 'The carrier accepted the text; there is no delivery report yet.',
    fix: 'Wait for the report. Some networks send none.',
  },
  delivered: { ...done, summary: 'The text arrived.', fix: 'Nothing is wrong.' },
  undelivered: smsErrorExplanations.undelivered,
  failed: smsErrorExplanations.rejected,
  canceled: smsErrorExplanations.canceled,
  received: { ...done, summary: 'The text was received.', fix: 'Nothing is wrong.' },
} as const satisfies Record<StateOf<typeof smsLifecycle>, ExplanationDefinition>;
