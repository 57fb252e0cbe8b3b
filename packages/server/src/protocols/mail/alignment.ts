// Which domain an address has, and whether another domain may speak for it (relaxed alignment, RFC 7489 section 3.1).
import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

/** In ASCII and lower case, without a dot at the end; empty for an address without a domain. */
export function domainOf(address: string): string {
  const at = address.lastIndexOf('@');
  return at === -1 ? '' : plainDomain(address.slice(at + 1));
}

const plainDomain = (domain: string): string => domainToASCII(domain.trim().replace(/\.$/, ''));

/** Whether both belong to one registrable domain. Subdomains of a hosting company belong to its customers. */
export function isAligned(address: string, domain: string): boolean {
  const [author, other] = [domainOf(address), plainDomain(domain)];
  if (author === '' || other === '') return false;
  const registrable = getDomain(author, { allowPrivateDomains: true });
  return (
    author === other ||
    (registrable !== null && registrable === getDomain(other, { allowPrivateDomains: true }))
  );
}
