// Checks the DNS records of a custom domain and stores the result.
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { Clock } from '../../../../platform/clock.ts';
import type { Dns } from '../../../../platform/dns.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { EmailDomainStore } from '../store.ts';
import { checkRecord } from './dns-records.ts';

/** Records without a DNS response change nothing: a verified domain stays verified. Null if the domain was deleted. */
export async function verifyDomain(
  { store, dns, clock }: { store: EmailDomainStore; dns: Dns; clock: Clock },
  organization_id: string,
  domain: EmailDomain,
  { is_person }: { is_person: boolean },
): Promise<EmailDomain | null> {
  const dns_records = await Promise.all(domain.dns_records.map((record) => checkRecord(dns, record)));
  if (dns_records.every((record) => record.status === 'unknown')) throw new ApiError('dns_unavailable');
  const statusOf = (purpose: string) => dns_records.find((record) => record.purpose === purpose)!.status;
  const resultOf = (purposes: string[]) => {
    const states = purposes.map(statusOf);
    if (states.every((state) => state === 'verified')) return 'verified' as const;
    return states.some((state) => state === 'missing' || state === 'wrong') ? ('failed' as const) : null;
  };
  const inbound = statusOf('inbound_mx');
  const saved = await store.saveCheck(organization_id, domain.id, {
    verification_status: resultOf(['dkim']),
    mail_from_status: resultOf(['mail_from_mx', 'mail_from_spf']),
    mx_ready: inbound === 'unknown' ? null : inbound === 'verified',
    dns_records,
    is_person,
    now: clock.now(),
  });
  if (saved === 'taken') throw new ApiError('email_domain_taken');
  return saved;
}
