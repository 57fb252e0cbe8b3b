// Signs deliveries in two forms from one secret: X-Service-Signature, and the headers of Standard Webhooks 1.0.
import { randomBytes } from 'node:crypto';
import { type HmacKey, hmacKey } from '../../../protocols/hmac.ts';

const prefix = 'whsec_';

/** X-Service-Signature uses the whole secret as its key, Standard Webhooks the decoded bytes after the prefix. */
export type SigningKey = { whole: HmacKey; decoded: HmacKey };

export const newSecret = (): string => prefix + randomBytes(32).toString('base64');

export const signingKey = (secret: string): SigningKey => ({
  whole: hmacKey(Buffer.from(secret)),
  decoded: hmacKey(Buffer.from(secret.slice(prefix.length), 'base64')),
});

/** Signs with every key: on the day after a rotation there are two, and the receiver accepts either signature. */
export function signatures(
  keys: readonly SigningKey[],
  { id, body }: { id: string; body: Buffer },
  unix_seconds: number,
): { own: string; standard: string } {
  let own = `t=${unix_seconds}`;
  let standard = '';
  for (const { whole, decoded } of keys) {
    own += `,v1=${whole(`${unix_seconds}.`, body, 'hex')}`;
    standard += `${standard && ' '}v1,${decoded(`${id}.${unix_seconds}.`, body, 'base64')}`;
  }
  return { own, standard };
}
