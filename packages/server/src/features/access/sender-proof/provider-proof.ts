// What the verdicts of a provider prove about a sender: they tell what passed, but not for which domain.
import type { emailVerdicts } from '@parley/contract/channels/emails/email-records';
import { domainOf, isAligned } from '../../../protocols/mail/alignment.ts';
import { proofOf, type SenderProof } from './sender-proof-store.ts';

type Verdict = (typeof emailVerdicts)[number];

export type CheckedMail = {
  verdicts: Partial<Record<'spf' | 'dkim' | 'dmarc', Verdict | undefined>>;
  /** The sender whom the record names. */
  author: string;
  has_one_author: boolean;
  /** The sender of the envelope, which SPF is about. */
  mail_from: string;
  /** The domains of all signatures. */
  signing_domains: readonly string[];
};

export function providerProof(mail: CheckedMail): SenderProof {
  const { verdicts, author, has_one_author, mail_from, signing_domains } = mail;
  const isOfAuthor = (domain: string) => isAligned(author, domain);
  const by_spf = verdicts.spf === 'PASS' && isOfAuthor(domainOf(mail_from));
  // One signature passed, nobody says which.
  const by_dkim = verdicts.dkim === 'PASS' && signing_domains.length > 0 && signing_domains.every(isOfAuthor);
  return proofOf(verdicts.dmarc ?? null, has_one_author && (by_spf || by_dkim));
}
