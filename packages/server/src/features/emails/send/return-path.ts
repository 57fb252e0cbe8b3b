// The address bounces come back to: it names the email and carries a signature, so that nobody can make one up.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

const tag_bytes = 8;
// Local parts may lose their case on the way, so the alphabet has only one.
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** `prefix` tells what kind of mail a bounce is about. */
export function returnPaths(key: Buffer, prefix = 'bounce-') {
  // As an object: Node takes eight times as long over a key that comes as bytes.
  const secret = createSecretKey(key);
  const tagOf = (id: Buffer) => createHmac('sha256', secret).update(id).digest().subarray(0, tag_bytes);

  return {
    write(email_id: string, domain: string): string {
      const id = Buffer.from(email_id.replaceAll('-', ''), 'hex');
      return `${prefix}${base32(Buffer.concat([id, tagOf(id)]))}@${domain}`;
    },
    /** The email that the address names, or null for any other address. */
    read(address: string): string | null {
      const local = address.slice(0, address.lastIndexOf('@')).toLowerCase();
      if (!local.startsWith(prefix)) return null;
      const bytes = fromBase32(local.slice(prefix.length));
      if (bytes?.length !== 16 + tag_bytes) return null;
      const id = bytes.subarray(0, 16);
      if (!timingSafeEqual(bytes.subarray(16), tagOf(id))) return null;
      return id.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
    },
  };
}
export type ReturnPaths = ReturnType<typeof returnPaths>;

function base32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >> bits) & 31];
    }
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}

function fromBase32(text: string): Buffer | null {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text) {
    const digit = alphabet.indexOf(letter);
    if (digit === -1) return null;
    value = ((value << 5) | digit) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 0xff);
    }
  }
  return Buffer.from(bytes);
}
