// Twilio's signature of a callback: HMAC-SHA1 over the address and every form field.
import { createHmac } from 'node:crypto';
import { sameSecret } from '../../../platform/crypto.ts';

/** The fields as they are signed: by name, then by value, each pair once. */
function signedText(form: URLSearchParams): string {
  const fields = [...form].sort(([a, x], [b, y]) => order(a, b) || order(x, y));
  let text = '';
  for (const [index, [name, value]] of fields.entries()) {
    const before = fields[index - 1];
    if (before?.[0] !== name || before[1] !== value) text += name + value;
  }
  return text;
}

const order = (a: string, b: string) => Number(a > b) - Number(a < b);

const sign = (auth_token: string, text: string) =>
  createHmac('sha1', auth_token).update(text).digest('base64');

export const signatureOf = (auth_token: string, url: string, form: URLSearchParams): string =>
  sign(auth_token, url + signedText(form));

/** Twilio may leave a port out of the address it signs, so both spellings count. */
export function isSigned(auth_token: string, url: string, form: URLSearchParams, signature: string): boolean {
  const fields = signedText(form);
  const fits = (spelling: string) => sameSecret(sign(auth_token, spelling + fields), signature);
  return fits(url) || fits(url.replace(/^(https?:\/\/[^/:?#]+|https?:\/\/\[[^\]]+\]):\d+/, '$1'));
}
