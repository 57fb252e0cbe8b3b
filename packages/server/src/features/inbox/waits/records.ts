// Reads the record that ended a wait, and the one-time code in it.

import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Conversation } from '@parley/contract/inbox/conversations';
import type { Wait, WaitMatch, WaitNoun } from '@parley/contract/inbox/waits';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import type { Caller } from '../../../platform/http/context.ts';
import { codeText, verificationCode } from '../message-waits/index.ts';
import { type Match, presentWait, type WaitRow } from './wait-row.ts';

type Read<T> = (organization_id: string, id: string) => Promise<T | null>;
/** Null for a record that does not exist any more. */
export type WaitRecords = {
  email: Read<Email>;
  sms: Read<Sms>;
  call: Read<Call>;
  approval: Read<Approval>;
  conversation: Read<Conversation>;
};

export const read_scopes: Record<WaitNoun, string> = {
  email: 'emails:read',
  sms: 'sms:read',
  call: 'calls:read',
  approval: 'approvals:read',
  conversation: 'conversations:read',
};

/** A conversation token reads everything that its waits can match. */
export const mayRead = (caller: Caller, noun: WaitNoun): boolean =>
  caller.conversation !== undefined ||
  caller.scopes.includes('*') ||
  caller.scopes.includes(read_scopes[noun]);

/** The match with its code. */
export async function withCode(records: WaitRecords, organization_id: string, match: Match): Promise<Match> {
  const { noun, id, kind } = match;
  if (match.code !== null || kind === 'outcome') return match;
  if (noun === 'sms') {
    const sms = await records.sms(organization_id, id);
    return { ...match, code: sms && verificationCode(sms.body) };
  }
  if (noun !== 'email') return match;
  const email = await records.email(organization_id, id);
  return { ...match, code: email && verificationCode(codeText(email)) };
}

/** The wait as a caller may see it, with the record that ended it. */
export async function waitWithRecord(records: WaitRecords, row: WaitRow, caller: Caller): Promise<Wait> {
  const wait = visibleWait(row, caller);
  if (!row.matched || !wait.matched || !mayRead(caller, row.matched.noun)) return wait;
  const { noun, id } = row.matched;
  const record = await records[noun](row.organization_id, id);
  return { ...wait, matched: { ...wait.matched, object: { noun, id, record } as WaitMatch['object'] } };
}

/** Without the record, and without its code for a caller that may not read messages. */
export function visibleWait(row: WaitRow, caller: Caller): Wait {
  const wait = presentWait(row);
  if (!wait.matched || mayRead(caller, wait.matched.object.noun)) return wait;
  return { ...wait, matched: { ...wait.matched, code: null } };
}
