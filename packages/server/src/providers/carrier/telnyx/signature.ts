// Verifies the signature of a Telnyx webhook: Ed25519 over the timestamp and the raw body.
import { createPublicKey, type KeyObject, verify } from 'node:crypto';

export const tolerance_seconds = 300;

/** Telnyx shows its key as 32 raw bytes in base64; the prefix makes it a DER public key (RFC 8410). */
export function publicKey(base64: string): KeyObject {
  const raw = Buffer.from(base64, 'base64');
  if (raw.length !== 32) throw new RangeError('TELNYX_PUBLIC_KEY must be 32 bytes in base64');
  return createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]),
    format: 'der',
    type: 'spki',
  });
}

export function isSigned(
  key: KeyObject,
  request: { signature: string; timestamp: string; body: Buffer },
  now_ms: number,
): boolean {
  const { signature, timestamp, body } = request;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now_ms / 1000 - Number(timestamp)) > tolerance_seconds) return false;
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.length !== 64) return false;
  return verify(null, Buffer.concat([Buffer.from(`${timestamp}|`), body]), key, bytes);
}
