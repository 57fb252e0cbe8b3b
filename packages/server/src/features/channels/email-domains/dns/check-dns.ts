// Looks up the DNS records of an organization's domains now, without storing the result.
import type { DnsRecord, EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { Dns } from '../../../../platform/dns.ts';
import { checkRecord } from './dns-records.ts';

export type DomainDns = {
  id: string;
  domain: string;
  is_verified: boolean;
  /** Records that are missing or wrong in DNS. */
  problems: { purpose: DnsRecord['purpose']; status: 'missing' | 'wrong' }[];
  /** Records whose lookup got no response. */
  unanswered: DnsRecord['purpose'][];
};

/** A DNS server that does not respond delays the answer by this at most. */
const wait_ms = 3000;

export const checkDns = (dns: Dns, domains: EmailDomain[]): Promise<DomainDns[]> =>
  Promise.all(
    domains.map(async ({ id, domain, verification_status, dns_records }) => {
      const records = await Promise.all(dns_records.map((record) => checkInTime(dns, record)));
      return {
        id,
        domain,
        is_verified: verification_status === 'verified',
        problems: records.flatMap(({ purpose, status }) =>
          status === 'missing' || status === 'wrong' ? [{ purpose, status }] : [],
        ),
        unanswered: records.flatMap(({ purpose, status }) => (status === 'unknown' ? [purpose] : [])),
      };
    }),
  );

async function checkInTime(dns: Dns, record: DnsRecord): Promise<DnsRecord> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<DnsRecord>((resolve) => {
    timer = setTimeout(() => resolve({ ...record, status: 'unknown' }), wait_ms);
  });
  return Promise.race([checkRecord(dns, record), late]).finally(() => clearTimeout(timer));
}
