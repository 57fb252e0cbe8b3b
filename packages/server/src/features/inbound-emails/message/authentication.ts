// Asks DNS who may send in a domain's name: SPF, DKIM, ARC and DMARC, as verdicts.

import type { emailVerdicts } from '@parley/contract/email-records';
import { arc } from 'mailauth/lib/arc/index.js';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js';
import { spf } from 'mailauth/lib/spf/index.js';

export type Verdict = (typeof emailVerdicts)[number];

export type Envelope = {
  /** Empty for bounces. */
  mail_from: string;
  remote_address: string;
  helo: string;
};

export type Authentication = {
  dkim_verdict: Verdict;
  spf_verdict: Verdict;
  dmarc_verdict: Verdict;
  /** The state of the chain of seals the message came with. */
  arc: 'none' | 'pass' | 'fail';
  /** The text of an Authentication-Results header, for whoever the message is passed on to. */
  results: string;
};

export type LookUp = (name: string, type: string) => Promise<string[] | string[][]>;

const verdicts: Record<string, Verdict> = {
  pass: 'PASS',
  fail: 'FAIL',
  softfail: 'FAIL',
  permerror: 'FAIL',
  policy: 'FAIL',
  none: 'GRAY',
  neutral: 'GRAY',
  temperror: 'PROCESSING_FAILED',
};
const verdictOf = (result: string | undefined): Verdict => verdicts[result ?? 'none'] ?? 'GRAY';

/** One good signature is enough; of several bad ones the worst news counts. */
function worstUnlessPassed(results: string[]): Verdict {
  const found = new Set(results.map(verdictOf));
  for (const verdict of ['PASS', 'FAIL', 'PROCESSING_FAILED'] as const)
    if (found.has(verdict)) return verdict;
  return 'GRAY';
}

const elapsed_ms = 10_000;

export async function authenticate(
  raw: Buffer,
  envelope: Envelope,
  options: { lookUp: LookUp; host: string },
): Promise<Authentication> {
  const common = { resolver: options.lookUp, strict: true } as const;
  const [signed, sent] = await Promise.all([
    dkimVerify(raw, { ...common, sender: envelope.mail_from }),
    spf({
      ...common,
      sender: envelope.mail_from,
      ip: envelope.remote_address,
      helo: envelope.helo,
      mta: options.host,
      maxElapsedTime: elapsed_ms,
    }),
  ]);
  const sealed = signed.arc ? await arc(signed.arc as never, common) : null;
  const dkim = signed.results ?? [];
  const { response: dmarc } = await evaluateDmarc({
    ...common,
    headerFrom: signed.headerFrom,
    fromFields: signed.fromFields,
    spfDomains: sent?.status.result === 'pass' && sent.domain ? [sent.domain] : [],
    dkimDomains: dkim
      .filter(({ status }) => status.result === 'pass')
      .map(({ id, signingDomain, status }) => ({
        id,
        domain: signingDomain,
        aligned: status.aligned,
        underSized: status.underSized,
      })),
    arcResult: sealed,
  } as never);
  const chain = sealed?.status?.result;
  const infos = [...dkim.map(({ info }) => info), sent?.info, sealed?.info, dmarc ? dmarc.info : undefined];
  return {
    dkim_verdict: worstUnlessPassed(dkim.map(({ status }) => status.result)),
    spf_verdict: verdictOf(sent ? sent.status.result : 'none'),
    dmarc_verdict: verdictOf(dmarc ? dmarc.status.result : 'none'),
    arc: chain === 'pass' ? 'pass' : chain === undefined || chain === 'none' ? 'none' : 'fail',
    results: [options.host, ...infos.filter((info) => info)].join('; ').replaceAll(/[\r\n]+\s*/g, ' '),
  };
}
