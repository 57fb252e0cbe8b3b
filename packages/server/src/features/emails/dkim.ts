// DKIM signatures (RFC 6376), relaxed/relaxed with rsa-sha256. The signing itself runs in Node's thread pool.
import { sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningKey } from '../email-domains/index.ts';

const signAsync = promisify(sign);

/** Signed where present. List-Unsubscribe-Post must be among them for one-click to count (RFC 8058). */
const signed_names = [
  'from',
  'to',
  'cc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'list-unsubscribe',
  'list-unsubscribe-post',
];

const relaxed = (name: string, value: string) => {
  const unfolded = value.includes('\r\n') ? value.replaceAll(/\r\n(?=[ \t])/g, '') : value;
  const folded = /\t| {2}/.test(unfolded) ? unfolded.replaceAll(/[ \t]+/g, ' ') : unfolded;
  return `${name}:${folded.trim()}`;
};

/** Fields of a header block in their order. */
function fieldsOf(header: string): { name: string; value: string }[] {
  return header
    .split(/\r\n(?![ \t])/)
    .filter((line) => line.includes(':'))
    .map((line) => {
      const colon = line.indexOf(':');
      return { name: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1) };
    });
}

/** The DKIM-Signature field for a header block (without its final blank line) and the hash of the body. */
export async function signatureField(
  header: string,
  body_hash: string,
  signing: SigningKey,
  options: { signed_at: Date; unsigned: readonly string[] },
): Promise<string> {
  const fields = fieldsOf(header);
  const named = signed_names.flatMap((name) => {
    if (options.unsigned.includes(name)) return [];
    return fields.filter((field) => field.name === name);
  });
  // A second From added on the way would be shown to the reader: naming it once more than it stands forbids that.
  const h = [...named.map((field) => field.name), 'from'].join(':');
  const seconds = Math.floor(options.signed_at.getTime() / 1000);
  const unsigned =
    `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${signing.domain}; s=${signing.selector};\r\n` +
    ` t=${seconds}; q=dns/txt; h=${folded(h)};\r\n bh=${body_hash};\r\n b=`;
  const signed_text = [
    ...named.map((field) => `${relaxed(field.name, field.value)}\r\n`),
    relaxed('dkim-signature', unsigned),
  ].join('');
  const signature = await signAsync('RSA-SHA256', Buffer.from(signed_text, 'latin1'), signing.key);
  return `DKIM-Signature: ${unsigned}${signature
    .toString('base64')
    .replaceAll(/(.{72})(?=.)/g, '$1\r\n ')}\r\n`;
}

/** Lines of a header should stay below 78 characters; between the names of h= folding is allowed. */
const folded = (h: string) => h.replaceAll(/(.{1,60}:)(?=.)/g, '$1\r\n  ');
