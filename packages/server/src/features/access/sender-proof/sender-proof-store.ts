// The only place that reads verdicts on a sender: what proves it, in code and in SQL.

import type { emailVerdicts } from '@parley/contract/channels/emails/email-records';
import type { Authenticity } from '@parley/contract/inbox/conversations';
import { type Sql, sql } from '../../../platform/db/sql.ts';

type Verdict = (typeof emailVerdicts)[number];

/**
 * `proven`: DMARC passed, or the domain has no policy and SPF or a DKIM signature passed for it. `failed`: DMARC failed.
 * `unproven`: nothing speaks for the sender; its domain publishes nothing, or it could not be checked.
 */
export type SenderProof = 'proven' | 'unproven' | 'failed';

/** `is_aligned`: SPF or a DKIM signature passed for the domain of From. */
export function proofOf(dmarc: Verdict | null, is_aligned: boolean): SenderProof {
  if (dmarc === 'FAIL') return 'failed';
  return dmarc === 'PASS' || is_aligned ? 'proven' : 'unproven';
}

/** A received email, as far as its proof is concerned. */
type Mail = { sender_proof?: SenderProof | null; dmarc_verdict: string | null };

/** Emails of earlier releases have only the verdict. */
export const senderProof = ({ sender_proof, dmarc_verdict }: Mail): SenderProof =>
  sender_proof ?? proofOf(dmarc_verdict as Verdict | null, false);

/** Whether the sender may be trusted to be the one in From. Everybody can write everything else. */
export const isProven = (mail: Mail): boolean => senderProof(mail) === 'proven';

/** The same for a row of `emails`, by its alias. */
export const provenSender = (email: Sql = sql`emails`): Sql =>
  sql`coalesce(${email}.sender_proof, case ${email}.dmarc_verdict when 'PASS' then 'proven' else 'unproven' end) = 'proven'`;

/** What people and programs are told about the sender of a received email. */
export function authenticityOf(mail: Mail): Authenticity {
  const proof = senderProof(mail);
  return proof === 'proven' ? 'verified' : proof;
}
