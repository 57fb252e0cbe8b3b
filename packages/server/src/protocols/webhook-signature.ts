// Signs deliveries in two forms from one secret: X-Service-Signature, and the headers of Standard Webhooks 1.0.
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** X-Service-Signature uses the whole secret as its key, Standard Webhooks the decoded bytes after the prefix. */
export type SigningKey = { whole: KeyObject; decoded: KeyObject };

export const newSecret = (): string => prefix + randomBytes(32).toString('base64');

export const signingKey = (secret: string): SigningKey => ({
  whole: createSecretKey(secret, 'utf8'),
  decoded: createSecretKey(secret.slice(prefix.length), 'base64'),
});

/** Signs with every key: on the day after a rotation there are two, and the receiver accepts either signature. */
export function signatures(
  keys: readonly SigningKey[],
  { id, body }: { id: string; body: Buffer },
  unix_seconds: number,
): { own: string; standard: string } {
  let signature = `t=${unix_seconds}`;
  let standard = '';
  for (const { whole, decoded } of keys) {
    signature += `,v1=${hmac(whole, `${unix_seconds}.`, body).digest('hex')}`;
    standard += `${standard && ' '}v1,${hmac(decoded, `${id}.${unix_seconds}.`, body).digest('base64')}`;
  }
  return { own: signature, standard };
}

/** The key must be prepared with `createSecretKey`: with raw bytes OpenSSL prepares it for every signature, 17 µs instead of 3. */
const hmac = (key: KeyObject, text: string, body: Buffer) =>
  createHmac('sha256', key).update(text).update(body);
