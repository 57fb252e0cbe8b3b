// Checks a URL when a user supplies it, for an early error. The guarded connector checks the addresses again at every connect.

import { isIP } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';

export type UrlRefusal =
  | 'url_invalid'
  | 'url_too_long'
  | 'scheme_not_allowed'
  | 'credentials_in_url'
  | 'https_required'
  | 'target_not_allowed';

export type UrlVerdict = { ok: true; url: URL } | { ok: false; reason: UrlRefusal };

const MAX_URL_LENGTH = 2048;

export function checkUrl(text: string, policy: AddressPolicy): UrlVerdict {
  if (text.length > MAX_URL_LENGTH) return refused('url_too_long');
  // The parser would silently drop these, and the result would be another address than the one that was typed.
  const url = /\p{Cc}|^\s|\s$/u.test(text) ? null : URL.parse(text);
  if (!url) return refused('url_invalid');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refused('scheme_not_allowed');
  if (url.username !== '' || url.password !== '') return refused('credentials_in_url');

  const addresses = knownAddresses(url.hostname);
  if (addresses === null) {
    // The addresses of a name are checked at connect time, because they may change.
    return policy.require_https && url.protocol !== 'https:' ? refused('https_required') : { ok: true, url };
  }
  const refusals = addresses.map((address) => policy.refusal(url.protocol, [address]));
  if (refusals.includes(null)) return { ok: true, url };
  return refused(refusals.includes('https_required') ? 'https_required' : 'target_not_allowed');
}

/** The addresses known without DNS (one allowed address is enough), or null for a name that needs DNS. */
function knownAddresses(hostname: string): string[] | null {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0) return [literal];
  // RFC 6761 section 6.3: localhost and every name under it mean loopback.
  return /(^|\.)localhost\.?$/.test(hostname) ? ['127.0.0.1', '::1'] : null;
}

const refused = (reason: UrlRefusal): UrlVerdict => ({ ok: false, reason });
