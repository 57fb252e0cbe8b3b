// Verifies the DKIM signatures and the ARC chain of a message.
import type { DnsLookup } from '../dns-lookup.ts';
import { isVerifiable } from './verifiable.ts';
import { fieldsOf, quickDkim } from './verify.ts';

export type Signatures = {
  /** All addresses of all From fields, and the number of From fields. */
  header_from: string[];
  from_fields: number;
  results: { result: string; domain: string; info: string; aligned?: unknown; under_sized?: unknown }[];
  /** The result of the ARC chain (RFC 8617), as the library reports it. */
  arc: { status: { result: string }; info: string } | null;
  /** Set if the signatures were not checked. Then an empty list does not mean that the message is unsigned. */
  is_incomplete?: true;
};

export async function verifySignatures(
  raw: Buffer,
  body_start: number,
  mail_from: string,
  lookUp: DnsLookup,
): Promise<Signatures> {
  const header = fieldsOf(raw.toString('latin1', 0, body_start));
  const quick = await quickDkim(raw, body_start, lookUp, header);
  if (!quick) return isVerifiable(header.all) ? verifyFully(raw, mail_from, lookUp) : notVerifiable();
  const good = quick.signatures.map(({ domain, selector }) => ({
    result: 'pass',
    domain,
    info: `dkim=pass header.d=${domain} header.s=${selector}`,
  }));
  return {
    header_from: [quick.header_from],
    from_fields: 1,
    results: good.length > 0 ? good : [{ result: 'none', domain: '', info: 'dkim=none' }],
    arc: null,
  };
}

/** The result for a hostile header: no mail program writes it, and verifying it would take very long. */
const notVerifiable = (): Signatures => ({
  header_from: [],
  from_fields: 1,
  results: [
    { result: 'temperror', domain: '', info: 'dkim=temperror (the header is too unusual to be verified)' },
  ],
  arc: { status: { result: 'fail' }, info: 'arc=fail (the header is too unusual to be verified)' },
  is_incomplete: true,
});

/** The library is loaded on first use: most mail is handled by the quick verifier. */
async function verifyFully(raw: Buffer, mail_from: string, lookUp: DnsLookup): Promise<Signatures> {
  const [{ dkimVerify }, { arc }] = await Promise.all([
    import('mailauth/lib/dkim/verify.js'),
    import('mailauth/lib/arc/index.js'),
  ]);
  const common = { resolver: lookUp, strict: true } as const;
  const found = await dkimVerify(raw, { ...common, sender: mail_from });
  const sealed = found.arc ? await arc(found.arc as never, common) : null;
  return {
    header_from: found.headerFrom,
    from_fields: found.fromFields,
    results: (found.results ?? []).map(({ status, signingDomain, info }) => ({
      result: status.result,
      domain: signingDomain ?? '',
      info,
      aligned: status.aligned,
      under_sized: status.underSized,
    })),
    arc: sealed ? { status: { result: sealed.status.result }, info: sealed.info ?? '' } : null,
  };
}
