// Checks by DNS whether the sender may use its domain (SPF, DKIM, ARC, DMARC), and turns the results into verdicts.
import { type DmarcPolicy, dmarcPolicies, type emailVerdicts } from '@parley/contract/email-records';
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js';
import { spf } from 'mailauth/lib/spf/index.js';
import type { Signatures } from '../../../../protocols/mail/dkim/signatures.ts';
import type { DnsLookup } from '../../../../protocols/mail/dns-lookup.ts';

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
  /** What the domain of the sender asks for if DMARC fails; null when it is not known. */
  dmarc_policy: DmarcPolicy | null;
  /** The state of the message's ARC chain. */
  arc: 'none' | 'pass' | 'fail';
  /** The text of an Authentication-Results header, for the seal of a forward. */
  results: string;
};

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

/** One valid signature is enough; otherwise the worst result counts. */
function dkimVerdict(results: string[]): Verdict {
  // A signature that proves nothing, such as one without a key, is worse than no signature.
  const found = new Set(results.map((result) => (result === 'neutral' ? 'FAIL' : verdictOf(result))));
  for (const verdict of ['PASS', 'FAIL', 'PROCESSING_FAILED'] as const)
    if (found.has(verdict)) return verdict;
  return 'GRAY';
}

const policyOf = (dmarc: unknown): DmarcPolicy | null => {
  const asked = (dmarc as { policy?: unknown } | null | undefined)?.policy;
  return dmarcPolicies.find((policy) => policy === asked) ?? null;
};

const spf_timeout_ms = 10_000;

/** The result for a message that could not be verified in time. */
export const unverified = (host: string): Authentication => ({
  dkim_verdict: 'PROCESSING_FAILED',
  spf_verdict: 'PROCESSING_FAILED',
  dmarc_verdict: 'PROCESSING_FAILED',
  dmarc_policy: null,
  arc: 'fail',
  results: `${host}; spf=temperror; dkim=temperror; dmarc=temperror`,
});

export async function authenticate(
  signatures: Signatures,
  envelope: Envelope,
  options: { lookUp: DnsLookup; host: string },
): Promise<Authentication> {
  const common = { resolver: options.lookUp, strict: true } as const;
  const { results, arc } = signatures;
  const spf_result = await spf({
    ...common,
    sender: envelope.mail_from,
    ip: envelope.remote_address,
    helo: envelope.helo,
    mta: options.host,
    maxElapsedTime: spf_timeout_ms,
  });
  const { response: dmarc } = await evaluateDmarc({
    ...common,
    headerFrom: signatures.header_from,
    fromFields: signatures.from_fields,
    spfDomains: spf_result?.status.result === 'pass' && spf_result.domain ? [spf_result.domain] : [],
    dkimDomains: results
      .filter(({ result }) => result === 'pass')
      .map(({ domain, aligned, under_sized }, index) => ({
        id: String(index),
        domain,
        aligned,
        underSized: under_sized,
      })),
    arcResult: arc,
  } as never);
  const chain = arc?.status?.result;
  const infos = [
    ...results.map(({ info }) => info),
    spf_result?.info,
    arc?.info,
    dmarc ? dmarc.info : undefined,
  ];
  return {
    dkim_verdict: dkimVerdict(results.map(({ result }) => result)),
    spf_verdict: verdictOf(spf_result ? spf_result.status.result : 'none'),
    dmarc_verdict: signatures.is_incomplete
      ? 'PROCESSING_FAILED'
      : verdictOf(dmarc ? dmarc.status.result : 'none'),
    dmarc_policy: policyOf(dmarc),
    arc: chain === 'pass' ? 'pass' : chain === undefined || chain === 'none' ? 'none' : 'fail',
    results: [options.host, ...infos.filter((info) => info)].join('; ').replaceAll(/[\r\n]+\s*/g, ' '),
  };
}
