// The table of explanations: for every way in which something can end, wait or be refused, who caused it and what to do next.
import {
  callEndExplanations,
  callOutcomeExplanations,
  callStatusExplanations,
  engineExplanations,
} from '../../channels/calls/call-explanations.ts';
import {
  emailEndExplanations,
  emailOutcomeExplanations,
  emailStatusExplanations,
} from '../../channels/emails/email-explanations.ts';
import { smsErrorExplanations, smsStatusExplanations } from '../../channels/sms/sms-explanations.ts';
import { type ErrorCode, errors } from '../../errors.ts';
import { approvalExplanations, checkExplanations, holdExplanations } from '../../rules/rule-explanations.ts';
import { webhookErrorExplanations, webhookStatusExplanations } from '../webhooks/webhook-explanations.ts';
import { explainError } from './error-explanations.ts';
import type { ExplanationDefinition } from './explanation-definition.ts';

type Table = Readonly<Record<string, ExplanationDefinition>>;

/** Codes first: a status explains only what has no code. */
export const explanations = {
  call: { ...callStatusExplanations, ...callOutcomeExplanations, ...callEndExplanations },
  email: { ...emailStatusExplanations, ...emailOutcomeExplanations, ...emailEndExplanations },
  sms: { ...smsStatusExplanations, ...smsErrorExplanations },
  webhook_delivery: { ...webhookStatusExplanations, ...webhookErrorExplanations },
  approval: approvalExplanations,
  hold: holdExplanations,
  check: checkExplanations,
  engine: engineExplanations,
} as const satisfies Record<string, Table>;
export type ExplainedSubject = keyof typeof explanations | 'error';

export type FoundExplanation = ExplanationDefinition & { code: string };

/** Null for a code that the subject does not have. */
export function findExplanation(subject: ExplainedSubject, code: string): FoundExplanation | null {
  if (subject === 'error')
    return Object.hasOwn(errors, code) ? { code, ...explainError(code as ErrorCode) } : null;
  const table: Table = explanations[subject];
  return Object.hasOwn(table, code) ? { code, ...table[code]! } : null;
}
