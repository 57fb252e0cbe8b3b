// Verifies the DKIM signatures and the ARC chain of a message.
import type { DnsLookup } from '../dns-lookup.ts';
import { isVerifiable } from './verifiable.ts';
import { type Field, fieldsOf, quickDkim } from './verify.ts';

export type Signatures = {
  results: { result: string; domain: string; info: string; aligned?: unknown; under_sized?: unknown }[];
  /** The result of the ARC chain (RFC 8617), as the library reports it. */
  arc: { status: { result: string }; info: string } | null;
};

export async function verifySignatures(
  raw: Buffer,
  body_start: number,
  mail_from: string,
  lookUp: DnsLookup,
): Promise<Signatures> {
  const header = fieldsOf(raw.toString('latin1', 0, body_start));
  const quick = await quickDkim(raw, body_start, lookUp, header);
  if (!quick)
    return isVerifiable(header.all) ? verifyFully(raw, mail_from, lookUp) : unverifiable(header.all);
  const good = quick.signatures.map(({ domain, selector }) => ({
    result: 'pass',
    domain,
    info: `dkim=pass header.d=${domain} header.s=${selector}`,
  }));
  return {
    results: good.length > 0 ? good : [{ result: 'none', domain: '', info: 'dkim=none' }],
    arc: null,
  };
}

/** No mail program writes such a header. */
const unverifiable = (fields: Field[]): Signatures =>
  fields.some(({ name }) => name === 'dkim-signature')
    ? failedSignatures('the header is too unusual to be verified')
    : { results: [{ result: 'none', domain: '', info: 'dkim=none' }], arc: null };

/**
 * The result for signatures that are not checked, because a hostile header would take too long. They count as failed, so that
 * nobody avoids the policy of the domain that he names as the sender by making his own message hard to verify.
 */
export const failedSignatures = (reason: string): Signatures => ({
  results: [{ result: 'policy', domain: '', info: `dkim=policy (${reason})` }],
  arc: { status: { result: 'fail' }, info: `arc=fail (${reason})` },
});

/** The library is loaded on first use: most mail is handled by the quick verifier. */
async function verifyFully(raw: Buffer, mail_from: string, lookUp: DnsLookup): Promise<Signatures> {
  const [{ dkimVerify }, { arc }] = await Promise.all([
    import('mailauth/lib/dkim/verify.js'),
    import('mailauth/lib/arc/index.js'),
  ]);
  const common = { resolver: lookUp, strict: true } as const;
  const result = await dkimVerify(raw, { ...common, sender: mail_from });
  const sealed = result.arc ? await arc(result.arc as never, common) : null;
  return {
    results: (result.results ?? []).map(({ status, signingDomain, info }) => ({
      result: status.result,
      domain: signingDomain ?? '',
      info,
      aligned: status.aligned,
      under_sized: status.underSized,
    })),
    arc: sealed ? { status: { result: sealed.status.result }, info: sealed.info ?? '' } : null,
  };
}
