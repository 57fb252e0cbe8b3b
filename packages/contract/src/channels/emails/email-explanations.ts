// Why an email ended as it did: one explanation for each end reason and each status of an email.

import type { ExplanationDefinition } from '../../operations/explain/explanation-definition.ts';
import type { StateOf } from '../../schema/lifecycle.ts';
import type { emailEndReasons, emailLifecycle } from './email-records.ts';

const done = { who: 'none', retry: 'no' } as const;

export const emailEndExplanations = {
  smtp_rejected: {
    who: 'provider',
    summary: 'The mail transport rejected the message.',
    fix: 'Read the detail: it has the response of the transport. Correct the recipient, the sender or the content that it names, and send again.',
    retry: 'now_with_new_key',
  },
  connection_failed: {
    who: 'provider',
    summary: 'The mail transport could not be reached.',
    fix: 'Check that the name of the relay in PARLEY_SMTP_URL can be resolved, that it runs, accepts connections and has a valid certificate for that name, then send again.',
    retry: 'later',
  },
  timeout: {
    who: 'provider',
    summary: 'The mail transport did not respond in time.',
    fix: 'Check the load of the relay, then send again.',
    retry: 'later',
  },
  provider_error: {
    who: 'provider',
    summary: 'The mail transport failed.',
    fix: 'Read the detail: it names what failed. Check the credentials and the encryption of the relay (PARLEY_SMTP_URL, PARLEY_SMTP_TLS), or the account at the mail provider, then send again.',
    retry: 'later',
  },
  hard_bounce: {
    who: 'recipient',
    summary: 'The mail server of the recipient refused the address for good.',
    fix: 'Correct the address of the contact. The address is suppressed: do not send to it again.',
    retry: 'no',
  },
  unconfirmed: {
    who: 'provider',
    summary: 'The response of the mail transport was lost: the message may have been delivered.',
    fix: 'Do not send it again yet. A delivery report settles the email; ask the recipient if none comes.',
    retry: 'no',
  },
  not_allowed: {
    who: 'policy',
    summary: 'A rule stopped the email before it was sent.',
    fix: 'The admission entry of the timeline names the rule. Change the rule, or send when it allows it.',
    retry: 'later',
  },
  canceled: {
    who: 'you',
    summary: 'The email was canceled before it was sent.',
    fix: 'Send it again if it is still needed.',
    retry: 'now_with_new_key',
  },
  approval_rejected: {
    who: 'policy',
    summary: 'A person rejected the email.',
    fix: 'Read the note of the approval. Change the email accordingly and send a new one.',
    retry: 'now_with_new_key',
  },
  approval_expired: {
    who: 'policy',
    summary: 'The approval expired before a person decided.',
    fix: 'Tell an approver, and send the email again.',
    retry: 'now_with_new_key',
  },
} as const satisfies Record<(typeof emailEndReasons)[number], ExplanationDefinition>;

export const emailStatusExplanations = {
  queued: {
    ...done,
    summary: 'The email is being sent.',
    fix: 'Read it again in some seconds.',
  },
  sent: {
    ...done,
    summary: 'The mail transport accepted the email.',
    fix: 'Nothing is wrong. A delivery report follows if the mail server of the recipient sends one.',
  },
  failed: {
    who: 'provider',
    summary: 'The email was not sent, and no reason is stored.',
    fix: 'Send it again with a new Idempotency-Key.',
    retry: 'now_with_new_key',
  },
  bounced: emailEndExplanations.hard_bounce,
  complained: {
    who: 'recipient',
    summary: 'The recipient reported the email as spam.',
    fix: 'Do not write to this address again: it is suppressed. Write only to people who expect it.',
    retry: 'no',
  },
  canceled: emailEndExplanations.canceled,
  received: {
    ...done,
    summary: 'The email was received.',
    fix: 'Nothing is wrong. An email in quarantine names its reason in quarantine_reason.',
  },
} as const satisfies Record<StateOf<typeof emailLifecycle>, ExplanationDefinition>;

/** Outcomes of delivery reports that say more than the status sent. */
export const emailOutcomeExplanations = {
  delivery_delayed: {
    who: 'recipient',
    summary: 'The mail server of the recipient does not accept the email yet; the transport keeps trying.',
    fix: 'Wait: a later report says delivered or bounced.',
    retry: 'no',
  },
  soft_bounce: {
    who: 'recipient',
    summary: 'The mail server of the recipient refused the email for now, such as for a full mailbox.',
    fix: 'Read the detail, and send again later with a new Idempotency-Key.',
    retry: 'later',
  },
  delivered: {
    ...done,
    summary: 'The mail server of the recipient, or the relay on the way to it, accepted the email.',
    fix: 'Nothing is wrong. A relay that cannot deliver it sends a report, which changes this verdict.',
  },
} as const satisfies Record<string, ExplanationDefinition>;
