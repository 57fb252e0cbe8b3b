// Decides which names can be a custom domain, and which prefixes can be part of an address.
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';

/** The name in lower case ASCII, or null: not a name below a public suffix, or one that belongs to this server. */
export function readDomainName(text: string, own: readonly string[]): string | null {
  const name = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase();
  if (name.length === 0 || name.length > 190) return null;
  const labels = name.split('.');
  if (labels.length < 2 || !labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label))) return null;
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
