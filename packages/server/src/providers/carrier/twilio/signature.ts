// Twilio's signature of a callback: HMAC-SHA1 over the address and every form field.
import { timingSafeEqual } from 'node:crypto';
import { type HmacKey, hmacKey } from '../../../protocols/hmac.ts';

export const signingKey = (auth_token: string): HmacKey => hmacKey(Buffer.from(auth_token), 'sha1');

/** The fields as they are signed: by name, then by value, each pair once. */
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

const sign = (key: HmacKey, text: string) => key('', Buffer.from(text), 'base64');

export const signatureOf = (key: HmacKey, url: string, form: URLSearchParams): string =>
  sign(key, url + signedText(form));

/** Both are as long as every signature is, or one is none: their length is no secret. */
const isSame = (expected: string, given: string) =>
  given.length === expected.length &&
  timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(given, 'latin1'));

/** Twilio may leave a port out of the address it signs, so both spellings count. */
export function isSigned(key: HmacKey, url: string, form: URLSearchParams, signature: string): boolean {
  const fields = signedText(form);
  const fits = (spelling: string) => isSame(sign(key, spelling + fields), signature);
  return fits(url) || fits(url.replace(/^(https?:\/\/[^/:?#]+|https?:\/\/\[[^\]]+\]):\d+/, '$1'));
}
