// The return path of an email: the address for bounces. It has the id of the email and a signature, so it cannot be forged.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

const tag_bytes = 8;
// Mail servers may change the case of a local part, so the alphabet has only lower case.
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** The prefix distinguishes return paths of emails from those of other mail, such as forwards. */
export function returnPaths(key: Buffer, prefix = 'bounce-') {
  // A key object: with raw bytes Node takes eight times as long.
  const secret = createSecretKey(key);
  const tagOf = (id: Buffer) => createHmac('sha256', secret).update(id).digest().subarray(0, tag_bytes);

  return {
    write(email_id: string, domain: string): string {
      const id = Buffer.from(email_id.replaceAll('-', ''), 'hex');
      return `${prefix}${base32(Buffer.concat([id, tagOf(id)]))}@${domain}`;
    },
    /** The id of the email, or null for any other address. */
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
  for (const character of text) {
    const digit = alphabet.indexOf(character);
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
