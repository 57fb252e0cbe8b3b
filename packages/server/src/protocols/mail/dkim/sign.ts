// Builds a DKIM-Signature field (RFC 6376), relaxed/relaxed with rsa-sha256. The caller supplies the RSA operation, which runs in a thread.
import type { KeyObject } from 'node:crypto';

export type SigningKey = { selector: string; domain: string; key: KeyObject };

/** Returns the signature of a latin1 text, in base64. */
export type Sign = (text: string, key: KeyObject) => Promise<string>;

/** Header fields that are signed if present. One-click unsubscribe requires List-Unsubscribe-Post among them (RFC 8058). */
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

/** The fields of a header block, in order. */
function fieldsOf(header: string): { name: string; value: string }[] {
  const fields: { name: string; value: string }[] = [];
  for (const line of header.split('\r\n')) {
    const colon = line.indexOf(':');
    if (line.startsWith(' ') || line.startsWith('\t')) {
      if (fields.length > 0) fields.at(-1)!.value += `\r\n${line}`;
    } else if (colon !== -1) {
      fields.push({ name: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1) });
    }
  }
  return fields;
}

/** The DKIM-Signature field for a header block (without its final blank line) and the hash of the body. */
export async function signatureField(
  header: string,
  body_hash: string,
  signing: SigningKey,
  options: { signed_at: Date; unsigned: readonly string[]; sign: Sign },
): Promise<string> {
  const fields = fieldsOf(header);
  const named = signed_names.flatMap((name) => {
    if (options.unsigned.includes(name)) return [];
    return fields.filter((field) => field.name === name);
  });
  // List `from` once more than it occurs, so that the signature breaks if a second From field is added later
  // (RFC 6376 section 8.15).
  const h = [...named.map((field) => field.name), 'from'].join(':');
  const seconds = Math.floor(options.signed_at.getTime() / 1000);
  const unsigned =
    `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${signing.domain}; s=${signing.selector};\r\n` +
    ` t=${seconds}; q=dns/txt; h=${folded(h)};\r\n bh=${body_hash};\r\n b=`;
  const signed_text = [
    ...named.map((field) => `${relaxed(field.name, field.value)}\r\n`),
    relaxed('dkim-signature', unsigned),
  ].join('');
  const text = await options.sign(signed_text, signing.key);
  const lines = Array.from({ length: Math.ceil(text.length / 72) }, (_, at) =>
    text.slice(at * 72, at * 72 + 72),
  );
  return `DKIM-Signature: ${unsigned}${lines.join('\r\n ')}\r\n`;
}

/** Header lines should have at most 78 characters (RFC 5322 section 2.1.1); the h= tag may be folded between names. */
const folded = (h: string) => h.replaceAll(/(.{1,60}:)(?=.)/g, '$1\r\n  ');
