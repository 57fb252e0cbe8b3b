// The DNS records of a custom domain: what a person must publish, and whether what DNS says is that.
import type { DnsRecord } from '@parley/contract/email-domains';
import type { Dns, DnsResult, MxRecord } from '../../platform/dns.ts';

const record = (
  purpose: DnsRecord['purpose'],
  type: DnsRecord['type'],
  name: string,
  value: string,
  priority: number | null = null,
): DnsRecord => ({ name, value, type, priority, purpose, status: 'pending', found: [] });

export const dkimRecord = (of: { domain: string; selector: string; public_key: string }): DnsRecord =>
  record('dkim', 'TXT', `${of.selector}._domainkey.${of.domain}`, `v=DKIM1; k=rsa; p=${of.public_key}`);

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

const words = (record: string) => record.trim().toLowerCase().split(/\s+/);

/** What an SPF record is read for: nothing after "all" counts, and a plus says nothing (RFC 7208 section 4.6). */
function mechanisms(record: string): string[] {
  const said = words(record).map((word) => word.replace(/^\+/, ''));
  const end = said.findIndex((word) => /^[-~?]?all$/.test(word));
  return end === -1 ? said : said.slice(0, end);
}

/** Each purpose has its own idea of equal: order, spacing and further words are the publisher's business. */
const textIsRight: Record<string, (found: string, wanted: string) => boolean> = {
  dkim: (found, wanted) => tags(found).get('p') === tags(wanted).get('p'),
  mail_from_spf: (found, wanted) => {
    const said = mechanisms(found);
    return mechanisms(wanted).every((word) => said.includes(word));
  },
  // Any policy is the owner's choice; only its absence is a fault.
  dmarc: (found) => /^v=DMARC1\s*(;|$)/.test(found),
};

/** Of these a name has one: receivers that find several use none of them (RFC 7208 section 4.5, RFC 7489 section 6.6.3). */
const stands_alone = new Set(['mail_from_spf', 'dmarc']);

const isCandidate: Record<string, (found: string) => boolean> = {
  dkim: () => true,
  mail_from_spf: (found) => words(found)[0] === 'v=spf1',
  dmarc: (found) => /^v=DMARC1/i.test(found),
};

const bare = (host: string) => host.toLowerCase().replace(/\.$/, '');

/** Mail goes to the lowest priority: ours must be among those, or nobody would come here. */
function mxIsRight(found: MxRecord[], wanted: string): boolean {
  const lowest = Math.min(...found.map((record) => record.priority));
  return found.some((record) => record.priority === lowest && bare(record.exchange) === bare(wanted));
}

export async function checkRecord(dns: Dns, record: DnsRecord): Promise<DnsRecord> {
  const judged = <T>(answer: DnsResult<T>, show: (each: T) => string, isRight: (found: T[]) => boolean) => {
    if ('unknown' in answer) return { ...record, status: 'unknown' as const, found: [] };
    const found = answer.found.map(show).slice(0, 10);
    if (isRight(answer.found)) return { ...record, status: 'verified' as const, found };
    return { ...record, status: found.length === 0 ? ('missing' as const) : ('wrong' as const), found };
  };
  if (record.type === 'MX') {
    return judged(
      await dns.mx(record.name),
      ({ exchange, priority }) => `${priority} ${exchange}`,
      (found) => found.length > 0 && mxIsRight(found, record.value),
    );
  }
  const answer = await dns.txt(record.name);
  const relevant =
    'found' in answer ? { found: answer.found.filter((text) => isCandidate[record.purpose]!(text)) } : answer;
  return judged(
    relevant,
    (text) => text.slice(0, 500),
    (found) =>
      !(stands_alone.has(record.purpose) && found.length > 1) &&
      found.some((text) => textIsRight[record.purpose]!(text, record.value)),
  );
}
