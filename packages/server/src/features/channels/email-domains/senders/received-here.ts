// Finds addresses whose mail this server receives: programs of its organizations can read that mail, so no code and no link
// for one person may be sent there.
import type { DnsRecord } from '@parley/contract/channels/emails/email-domains';
import { readHostName } from '@parley/contract/schema/host-name';
import type { EmailDomainStore } from '../store.ts';

export type IsReceivedHere = (address: string) => Promise<boolean>;

const normalized = (host: string) => host.toLowerCase().replace(/\.$/, '');

/** Null if the text after the last @ is not a name of the DNS, such as an address literal. */
const domainOf = (address: string): string | null =>
  readHostName(address.slice(address.lastIndexOf('@') + 1).replace(/\.$/, ''));

/**
 * `service_domains`: those of service_mail and sandbox addresses. Never from a cache: the domain may have been verified a moment
 * ago by another process.
 */
export function receivedHere(deps: {
  store: Pick<EmailDomainStore, 'recordsOfReceiving'>;
  service_domains: readonly string[];
}): IsReceivedHere {
  const service_domains = deps.service_domains.map(normalized);
  return async (address) => {
    const domain = domainOf(address);
    // Nobody can say where such mail goes.
    if (domain === null) return true;
    if (service_domains.includes(domain)) return true;
    const records = await deps.store.recordsOfReceiving(domain);
    return records !== null && !goesElsewhere(records);
  };
}

/**
 * A domain that only sends through this server: its MX records name other hosts, and none of them is ours, not even as a backup.
 * Mail that arrives here nevertheless is refused, see service-mail-mark.ts.
 */
function goesElsewhere(records: readonly DnsRecord[]): boolean {
  const mx = records.find(({ purpose }) => purpose === 'inbound_mx');
  if (mx?.status !== 'wrong' || mx.found.length === 0 || mx.found.length >= 10) return false;
  return mx.found.every((found) => normalized(found.split(' ').at(-1)!) !== normalized(mx.value));
}
