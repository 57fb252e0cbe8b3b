// Verifies the signature of a Twilio callback: HMAC-SHA1 over the URL and all form fields.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Prepared once: with raw bytes OpenSSL would prepare the key for every signature, which costs more than the hash. */
export const signingKey = (auth_token: string): KeyObject => createSecretKey(auth_token, 'utf8');

/** The form fields as Twilio signs them: sorted by name and value, repeated pairs once. */
function signedText(form: URLSearchParams): string {
  const fields = [...form].sort(([a, x], [b, y]) => order(a, b) || order(x, y));
  let text = '';
  let before: [string, string] | undefined;
  for (const field of fields) {
    if (before?.[0] !== field[0] || before[1] !== field[1]) text += field[0] + field[1];
    before = field;
  }
  return text;
}

const order = (a: string, b: string) => Number(a > b) - Number(a < b);

const sign = (key: KeyObject, text: string) => createHmac('sha1', key).update(text).digest('base64');

export const signatureOf = (key: KeyObject, url: string, form: URLSearchParams): string =>
  sign(key, url + signedText(form));

/** The length of a signature is no secret, so different lengths are compared first. */
const isSame = (expected: string, received: string) =>
  received.length === expected.length &&
  timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(received, 'latin1'));

/** Twilio sometimes omits the port of the URL that it signs, so both forms are accepted. */
export function isSigned(key: KeyObject, url: string, form: URLSearchParams, signature: string): boolean {
  const fields = signedText(form);
  const matches = (signed_url: string) => isSame(sign(key, signed_url + fields), signature);
  return matches(url) || matches(url.replace(/^(https?:\/\/[^/:?#]+|https?:\/\/\[[^\]]+\]):\d+/, '$1'));
}
