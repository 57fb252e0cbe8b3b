// Twilio's signature of a callback: HMAC-SHA1 over the address and every form field.
import { createHmac } from 'node:crypto';
import { sameSecret } from '../../../platform/crypto.ts';

export function signatureOf(auth_token: string, url: string, form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort();
  const data = names.flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value));
  return createHmac('sha1', auth_token)
    .update(url + data.join(''))
    .digest('base64');
}

/** Twilio may leave a port out of the address it signs, so both spellings count. */
export function isSigned(auth_token: string, url: string, form: URLSearchParams, signature: string): boolean {
  const spellings = new Set([url, url.replace(/^(https?:\/\/[^/:?#]+|https?:\/\/\[[^\]]+\]):\d+/, '$1')]);
  return [...spellings].some((spelling) => sameSecret(signatureOf(auth_token, spelling, form), signature));
}
