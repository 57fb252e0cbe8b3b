// Decides which names can be a custom domain, and which prefixes can be part of an address.
import { readHostName } from '@parley/contract/host-name';
import { parse } from 'tldts';

/** Names of ours stand before it, such as the one of its DKIM record; all of them must fit into 253 characters. */
const max_chars = 190;

/** The name in lower case ASCII, or null: not a name below a public suffix, or one that belongs to this server. */
export function readDomainName(text: string, own: readonly string[]): string | null {
  // One dot at the end marks a name as complete (RFC 1034 section 3.1).
  const name = readHostName(text.replace(/\.$/, ''));
  if (name === null || name.length > max_chars || !name.includes('.')) return null;
  const { domain, isIp } = parse(name, { allowPrivateDomains: true });
  // Without a registrable part the name is a public suffix, such as co.uk, and belongs to nobody alone.
  if (isIp || !domain) return null;
  const belongs = own.some((mine) => name === mine || name.endsWith(`.${mine}`));
  return belongs ? null : name;
}

/** A plus sign would make user+org ambiguous. */
export const readPrefix = (text: string): string | null =>
  /^[a-z0-9](?:[a-z0-9._-]{0,28}[a-z0-9])?$/.test(text.toLowerCase()) && !text.includes('..')
    ? text.toLowerCase()
    : null;
