// Signs deliveries in two forms from one secret: X-Service-Signature, and the headers of Standard Webhooks 1.0.
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** Our own header is keyed with the whole text as shown, Standard Webhooks with the bytes after the prefix. */
export type SigningKey = { whole: KeyObject; decoded: KeyObject };

export const newSecret = (): string => prefix + randomBytes(32).toString('base64');

export const signingKey = (secret: string): SigningKey => ({
  whole: createSecretKey(secret, 'utf8'),
  decoded: createSecretKey(secret.slice(prefix.length), 'base64'),
});

/** With several keys, as in the day after a rotation, any one of the signatures will do for the receiver. */
export function signatures(
  keys: readonly SigningKey[],
  { id, body }: { id: string; body: Buffer },
  unix_seconds: number,
): { own: string; standard: string } {
  let own = `t=${unix_seconds}`;
  let standard = '';
  for (const { whole, decoded } of keys) {
    own += `,v1=${createHmac('sha256', whole).update(`${unix_seconds}.`).update(body).digest('hex')}`;
    const mac = createHmac('sha256', decoded).update(`${id}.${unix_seconds}.`).update(body).digest('base64');
    standard += `${standard && ' '}v1,${mac}`;
  }
  return { own, standard };
}
