// The DNS records of a custom domain: which ones to publish, and whether the published ones are right.
import type { DnsRecord } from '@parley/contract/channels/emails/email-domains';
import type { Dns, DnsResult, MxRecord } from '../../../../platform/dns.ts';

const record = (
  purpose: DnsRecord['purpose'],
  type: DnsRecord['type'],
  name: string,
  value: string,
  priority: number | null = null,
): DnsRecord => ({ name, value, type, priority, purpose, status: 'pending', found: [] });

export const dkimRecord = (key: { domain: string; selector: string; public_key: string }): DnsRecord =>
  record('dkim', 'TXT', `${key.selector}._domainkey.${key.domain}`, `v=DKIM1; k=rsa; p=${key.public_key}`);

export function recordsToPublish(domain: {
  domain: string;
  mail_from_domain: string;
  selector: string;
  public_key: string;
  mail_host: string;
  spf: string;
}): DnsRecord[] {
  return [
    dkimRecord(domain),
    record('mail_from_mx', 'MX', domain.mail_from_domain, domain.mail_host, 10),
    record('mail_from_spf', 'TXT', domain.mail_from_domain, domain.spf),
    record('dmarc', 'TXT', `_dmarc.${domain.domain}`, 'v=DMARC1; p=none'),
    record('inbound_mx', 'MX', domain.domain, domain.mail_host, 10),
  ];
}

const tags = (record: string): Map<string, string> =>
  new Map(
    record.split(';').flatMap((part): [string, string][] => {
      const [name, ...value] = part.split('=');
      return value.length > 0 ? [[name!.trim().toLowerCase(), value.join('=').replaceAll(/\s/g, '')]] : [];
    }),
  );

const terms = (record: string) => record.trim().toLowerCase().split(/\s+/);

/** The mechanisms of an SPF record. Everything after "all" is ignored, and a plus sign is the default (RFC 7208 section 4.6). */
function mechanisms(record: string): string[] {
  const all = terms(record).map((term) => term.replace(/^\+/, ''));
  const end = all.findIndex((term) => /^[-~?]?all$/.test(term));
  return end === -1 ? all : all.slice(0, end);
}

/** Whether a published text fulfills its purpose. Order, spacing and additional terms do not matter. */
const textIsRight: Record<string, (found: string, expected: string) => boolean> = {
  dkim: (found, expected) => tags(found).get('p') === tags(expected).get('p'),
  mail_from_spf: (found, expected) => {
    const published = mechanisms(found);
    return mechanisms(expected).every((mechanism) => published.includes(mechanism));
  },
  // The owner may choose any policy.
  dmarc: (found) => /^v=DMARC1\s*(;|$)/.test(found),
};

/** Receivers ignore these records if a name has several (RFC 7208 section 4.5, RFC 7489 section 6.6.3). */
const must_be_single = new Set(['mail_from_spf', 'dmarc']);

const isCandidate: Record<string, (found: string) => boolean> = {
  dkim: () => true,
  mail_from_spf: (found) => terms(found)[0] === 'v=spf1',
  dmarc: (found) => /^v=DMARC1/i.test(found),
};

const normalizedHost = (host: string) => host.toLowerCase().replace(/\.$/, '');

/** Senders use the hosts with the lowest priority value, so ours must be one of them. */
function mxIsRight(found: MxRecord[], expected: string): boolean {
  const lowest = Math.min(...found.map((record) => record.priority));
  return found.some(
    (record) => record.priority === lowest && normalizedHost(record.exchange) === normalizedHost(expected),
  );
}

export async function checkRecord(dns: Dns, record: DnsRecord): Promise<DnsRecord> {
  const checked = <T>(answer: DnsResult<T>, show: (each: T) => string, isRight: (found: T[]) => boolean) => {
    if ('unknown' in answer) return { ...record, status: 'unknown' as const, found: [] };
    const found = answer.found.map(show).slice(0, 10);
    if (isRight(answer.found)) return { ...record, status: 'verified' as const, found };
    return { ...record, status: found.length === 0 ? ('missing' as const) : ('wrong' as const), found };
  };
  if (record.type === 'MX') {
    return checked(
      await dns.mx(record.name),
      ({ exchange, priority }) => `${priority} ${exchange}`,
      (found) => found.length > 0 && mxIsRight(found, record.value),
    );
  }
  const answer = await dns.txt(record.name);
  const relevant =
    'found' in answer ? { found: answer.found.filter((text) => isCandidate[record.purpose]!(text)) } : answer;
  return checked(
    relevant,
    (text) => text.slice(0, 500),
    (found) =>
      !(must_be_single.has(record.purpose) && found.length > 1) &&
      found.some((text) => textIsRight[record.purpose]!(text, record.value)),
  );
}
