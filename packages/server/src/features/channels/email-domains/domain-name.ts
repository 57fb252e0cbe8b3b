// Validates names of custom domains and prefixes of addresses.
import { readHostName } from '@parley/contract/schema/host-name';
import { parse } from 'tldts';

/** Record names such as that of the DKIM key add a prefix, and a DNS name has at most 253 characters. */
const max_chars = 190;

/** The name in lower case ASCII. Null if it is not below a public suffix, or is part of a reserved domain of this server. */
export function readDomainName(text: string, reserved: readonly string[]): string | null {
  // A dot at the end marks a fully qualified name (RFC 1034 section 3.1).
  const name = readHostName(text.replace(/\.$/, ''));
  if (name === null || name.length > max_chars || !name.includes('.')) return null;
  const { domain, isIp } = parse(name, { allowPrivateDomains: true });
  // Without a registrable part the name is a public suffix such as co.uk, which no organization can own.
  if (isIp || !domain) return null;
  const is_reserved = reserved.some((own) => name === own || name.endsWith(`.${own}`));
  return is_reserved ? null : name;
}

/** No plus sign: it separates the two prefixes in user+org. */
export const readPrefix = (text: string): string | null =>
  /^[a-z0-9](?:[a-z0-9._-]{0,28}[a-z0-9])?$/.test(text.toLowerCase()) && !text.includes('..')
    ? text.toLowerCase()
    : null;
