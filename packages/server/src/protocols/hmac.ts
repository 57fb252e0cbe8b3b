// HMAC (RFC 2104) for those who sign by the thousand: an Hmac object of Node costs more to make and to collect
// than the hashing itself, and here the key is prepared once.
import { hash } from 'node:crypto';

export type HmacKey = (text: string, body: Buffer, encoding: 'hex' | 'base64') => string;

const block_bytes = 64;
const digest_bytes = { sha1: 20, sha256: 32 } as const;
type Algorithm = keyof typeof digest_bytes;
/** What larger bodies need is given back: a rare giant must not be kept for ever. */
const scratch_bytes = 64 * 1024;
const scratch = Buffer.allocUnsafeSlow(scratch_bytes);

const padded = (algorithm: Algorithm, key: Buffer, pad: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size, 0);
  (key.length > block_bytes ? hash(algorithm, key, 'buffer') : key).copy(bytes);
  for (let index = 0; index < block_bytes; index++) bytes[index]! ^= pad;
  return bytes;
};

/** Signs the text (ASCII) and the body after it. */
export function hmacKey(key: Buffer, algorithm: Algorithm = 'sha256'): HmacKey {
  const inner = padded(algorithm, key, 0x36, block_bytes);
  const outer = padded(algorithm, key, 0x5c, block_bytes + digest_bytes[algorithm]);
  return (text, body, encoding) => {
    const size = block_bytes + text.length + body.length;
    const bytes = size <= scratch_bytes ? scratch : Buffer.allocUnsafe(size);
    inner.copy(bytes);
    bytes.write(text, block_bytes, 'latin1');
    body.copy(bytes, block_bytes + text.length);
    // Through text: a new buffer for every digest costs as much as the digest.
    outer.write(hash(algorithm, bytes.subarray(0, size), 'binary'), block_bytes, 'binary');
    return hash(algorithm, outer, encoding);
  };
}
