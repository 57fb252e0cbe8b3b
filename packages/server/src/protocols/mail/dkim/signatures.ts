// Who signed a message, and whether the signatures and the seals of forwarders hold.
import type { DnsLookup } from '../dns-lookup.ts';
import { isVerifiable } from './verifiable.ts';
import { fieldsOf, quickDkim } from './verify.ts';

export type Signatures = {
  /** Addresses of the From fields, and how many such fields there are. */
  header_from: string[];
  from_fields: number;
  results: { result: string; domain: string; info: string; aligned?: unknown; under_sized?: unknown }[];
  /** The chain of seals (RFC 8617), as the library tells it. */
  arc: { status: { result: string }; info: string } | null;
  /** Set where the signatures could not be looked at, so that nothing follows from there being none. */
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
  if (!quick) return isVerifiable(header.all) ? fully(raw, mail_from, lookUp) : tooUnusual();
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

/** A header that no mail program writes, made to be slow to verify. */
const tooUnusual = (): Signatures => ({
  header_from: [],
  from_fields: 1,
  results: [
    { result: 'temperror', domain: '', info: 'dkim=temperror (the header is too unusual to be verified)' },
  ],
  arc: { status: { result: 'fail' }, info: 'arc=fail (the header is too unusual to be verified)' },
  is_incomplete: true,
});

/** Loaded when it is needed: most mail is not unusual. */
async function fully(raw: Buffer, mail_from: string, lookUp: DnsLookup): Promise<Signatures> {
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
