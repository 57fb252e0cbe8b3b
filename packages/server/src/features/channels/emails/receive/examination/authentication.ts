// Checks by DNS whether the sender may use its domain (SPF, DKIM, ARC, DMARC), and turns the results into verdicts.
import {
  type DmarcPolicy,
  dmarcPolicies,
  type emailVerdicts,
} from '@parley/contract/channels/emails/email-records';
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js';
import { spf } from 'mailauth/lib/spf/index.js';
import { isAligned } from '../../../../../protocols/mail/alignment.ts';
import type { Signatures } from '../../../../../protocols/mail/dkim/signatures.ts';
import type { DnsLookup } from '../../../../../protocols/mail/dns-lookup.ts';
import { proofOf, type SenderProof } from '../../../../access/sender-proof/index.ts';

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
  sender_proof: SenderProof;
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
/** For the policy of the sender's domain. */
const dmarc_timeout_ms = 10_000;

/** The sender whom the record names. */
export type Author = { address: string; has_one_author: boolean };

type Options = { lookUp: DnsLookup; host: string };

type DmarcResult = { status: { result: string }; info: string; policy?: unknown };

/** Needs no more than the author, SPF and the policy of the domain: signatures that cannot be verified only prove nothing. */
export async function authenticate(
  signatures: Promise<Signatures>,
  author: Author,
  envelope: Envelope,
  options: Options,
): Promise<Authentication> {
  const [{ results, arc }, spf_result] = await Promise.all([signatures, checkSpf(envelope, options)]);
  const spf_domain = spf_result.status.result === 'pass' && spf_result.domain ? spf_result.domain : null;
  const valid = results.filter(({ result }) => result === 'pass');
  const dmarc = await withinTime<DmarcResult | null>(
    dmarc_timeout_ms,
    evaluateDmarc({
      resolver: options.lookUp,
      strict: true,
      // The address of the record, not what another parser reads in the same field.
      headerFrom: [author.address],
      fromFields: 1,
      spfDomains: spf_domain === null ? [] : [spf_domain],
      dkimDomains: valid.map(({ domain, aligned, under_sized }, index) => ({
        id: String(index),
        domain,
        aligned,
        underSized: under_sized,
      })),
      arcResult: arc,
    } as never).then(({ response }) => response || null),
    { status: { result: 'temperror' }, info: 'dmarc=temperror' },
  );
  const dmarc_result = dmarcResult(dmarc?.status.result ?? 'none', author);
  const dmarc_verdict = verdictOf(dmarc_result);
  const whole = valid.filter(({ under_sized }) => !under_sized).map(({ domain }) => domain);
  const speakers = [...whole, ...(spf_domain === null ? [] : [spf_domain])];
  const is_aligned = author.has_one_author && speakers.some((domain) => isAligned(author.address, domain));
  const chain = arc?.status?.result;
  const dmarc_info = dmarc_result === dmarc?.status.result ? dmarc.info : `dmarc=${dmarc_result}`;
  const infos = [...results.map(({ info }) => info), spf_result.info, arc?.info, dmarc_info];
  return {
    dkim_verdict: dkimVerdict(results.map(({ result }) => result)),
    spf_verdict: verdictOf(spf_result.status.result),
    dmarc_verdict,
    sender_proof: proofOf(dmarc_verdict, is_aligned),
    dmarc_policy: policyOf(dmarc),
    arc: chain === 'pass' ? 'pass' : chain === undefined || chain === 'none' ? 'none' : 'fail',
    results: [options.host, ...infos.filter((info) => info)].join('; ').replaceAll(/[\r\n]+\s*/g, ' '),
  };
}

/** A message of nobody or of several domains cannot pass: who signed it is not who is shown as its sender. */
const dmarcResult = (result: string, { has_one_author }: Author): string =>
  result === 'pass' && !has_one_author ? 'none' : result;

type SpfResult = { status: { result: string }; domain?: string | undefined; info?: string | undefined };

const checkSpf = async (envelope: Envelope, { lookUp, host }: Options): Promise<SpfResult> =>
  withinTime<SpfResult>(
    // The library counts the time between queries; a query that hangs is not its own.
    2 * spf_timeout_ms,
    spf({
      resolver: lookUp,
      strict: true,
      sender: envelope.mail_from,
      ip: envelope.remote_address,
      helo: envelope.helo,
      mta: host,
      maxElapsedTime: spf_timeout_ms,
    }).then((result) => (result ? (result as SpfResult) : { status: { result: 'none' } })),
    { status: { result: 'temperror' }, info: 'spf=temperror' },
  );

/** The result of the work, or another one when the work takes longer. */
export async function withinTime<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
