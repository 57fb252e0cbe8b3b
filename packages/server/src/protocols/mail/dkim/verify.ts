// A quick verifier for the usual kind of DKIM signature (RFC 6376: rsa-sha256, relaxed headers, plain key records). It gives a
// result only if all signatures are valid; unusual or failing signatures are left to the full verifier, a library.
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { DnsLookup } from '../dns-lookup.ts';
import { bodyHasher } from './body-hash.ts';

export type QuickResult = {
  /** The only address of the only From field. */
  header_from: string;
  /** All signatures, all valid; empty for an unsigned message. */
  signatures: { domain: string; selector: string }[];
};

/** One header field including its folds; the name is in lower case. */
export type Field = { name: string; text: string };
type Signature = {
  domain: string;
  selector: string;
  h: string[];
  bh: string;
  b: string;
  body: 'simple' | 'relaxed';
};

const known_tags = new Set(['v', 'a', 'c', 'd', 's', 'h', 'bh', 'b', 't', 'q', 'i']);
const domain_form = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i;
const selector_form = /^[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*$/i;
const from_form =
  /^(?:[^<>@,;:"()\\]*|"[^"\\<>]*"\s*)<([^<>@\s"(),;:]+@[a-z0-9.-]+)>$|^([^<>@\s"(),;:]+@[a-z0-9.-]+)$/i;
const signatures_max = 5;
const chunk_bytes = 64 * 1024;

/** Returns null if the full verifier must decide. */
export async function quickDkim(
  raw: Buffer,
  body_start: number,
  lookUp: DnsLookup,
  header: Header = fieldsOf(raw.toString('latin1', 0, body_start)),
): Promise<QuickResult | null> {
  if (!header.is_regular) return null;
  const fields = header.all;
  const fieldsNamed = (name: string) => fields.filter((field) => field.name === name);
  const [from, ...more_from] = fieldsNamed('from');
  if (!from || more_from.length > 0 || fields.some(({ name }) => name.startsWith('arc-'))) return null;
  const address = from_form.exec(unfolded(valueIn(from)).trim());
  const header_from = address?.[1] ?? address?.[2];
  const signature_fields = fieldsNamed('dkim-signature');
  if (!header_from || signature_fields.length > signatures_max) return null;
  const signatures: QuickResult['signatures'] = [];
  const hashes = new Map<string, string>();
  for (const field of signature_fields) {
    const signature = readSignature(unfolded(valueIn(field)));
    if (!signature) return null;
    const body_hash = hashes.get(signature.body) ?? bodyHash(raw.subarray(body_start), signature.body);
    hashes.set(signature.body, body_hash);
    if (body_hash !== signature.bh) return null;
    const key = await publicKey(`${signature.selector}._domainkey.${signature.domain}`, lookUp);
    if (!key) return null;
    const text = Buffer.from(signedText(fields, field, signature.h), 'latin1');
    if (!verify('sha256', text, key, Buffer.from(signature.b, 'base64'))) return null;
    signatures.push({ domain: signature.domain, selector: signature.selector });
  }
  return { header_from, signatures };
}

export type Header = {
  all: Field[];
  /** False if a line is not a valid field. The full verifier decides what such a line means. */
  is_regular: boolean;
};

export function fieldsOf(header: string): Header {
  const all: Field[] = [];
  let is_regular = true;
  for (const text of header.split(/\r\n(?![ \t])/)) {
    if (text === '') continue;
    const name = /^([!-9;-~]+):/.exec(text)?.[1];
    if (!name || /[\r\n](?![ \t\n])/.test(text)) is_regular = false;
    all.push({ name: (name ?? text.split(':', 1)[0]!).toLowerCase(), text });
  }
  return { all, is_regular };
}
const valueIn = ({ text }: Field) => text.slice(text.indexOf(':') + 1);
const unfolded = (text: string) => text.replaceAll(/\r\n(?=[ \t])/g, '');
const relaxed = (name: string, value: string) =>
  `${name}:${unfolded(value)
    .replaceAll(/[ \t]+/g, ' ')
    .trim()}`;

function readSignature(text: string): Signature | null {
  const tags = new Map<string, string>();
  for (const piece of text.split(';')) {
    const equals = piece.indexOf('=');
    if (equals === -1) {
      if (piece.trim() !== '') return null;
      continue;
    }
    const name = piece.slice(0, equals).trim();
    // A body length limit, an expiry or a repeated tag: left to the full verifier.
    if (!known_tags.has(name) || tags.has(name)) return null;
    tags.set(name, piece.slice(equals + 1).replaceAll(/\s+/g, ''));
  }
  const [domain, selector, h, bh, b] = ['d', 's', 'h', 'bh', 'b'].map((name) => tags.get(name) ?? '');
  const body = { 'relaxed/relaxed': 'relaxed', 'relaxed/simple': 'simple', relaxed: 'simple' }[
    tags.get('c') ?? ''
  ];
  const names = h!.toLowerCase().split(':');
  const is_usual =
    tags.get('v') === '1' &&
    tags.get('a') === 'rsa-sha256' &&
    /^\d{1,12}$/.test(tags.get('t') ?? '0') &&
    (tags.get('q') ?? 'dns/txt') === 'dns/txt' &&
    domain_form.test(domain!) &&
    selector_form.test(selector!) &&
    (tags.get('i') ?? `@${domain}`).toLowerCase().endsWith(`@${domain!.toLowerCase()}`) &&
    names.includes('from') &&
    bh !== '' &&
    b !== '';
  if (!is_usual || !body) return null;
  return { domain: domain!, selector: selector!, h: names, bh: bh!, b: b!, body: body as Signature['body'] };
}

function bodyHash(body: Buffer, canonicalization: 'simple' | 'relaxed'): string {
  if (canonicalization === 'relaxed') {
    const hasher = bodyHasher();
    // In chunks: a large body as one string would be copied several times in memory.
    for (let at = 0; at < body.length; at += chunk_bytes) hasher.update(body.subarray(at, at + chunk_bytes));
    return hasher.digest();
  }
  let end = body.length;
  while (end >= 2 && body[end - 1] === 0x0a && body[end - 2] === 0x0d) end -= 2;
  return createHash('sha256').update(body.subarray(0, end)).update('\r\n').digest('base64');
}

/** A name in h= means the last field of that name that is not used yet; a missing field counts as empty (RFC 6376 section 5.4.2). */
function signedText(fields: Field[], own: Field, names: string[]): string {
  const unused = Map.groupBy(
    fields.filter((field) => field !== own),
    ({ name }) => name,
  );
  const lines: string[] = [];
  for (const name of names) {
    const field = unused.get(name)?.pop();
    if (field) lines.push(`${relaxed(name, valueIn(field))}\r\n`);
  }
  const emptied = unfolded(valueIn(own)).replace(/(^|;)(\s*b\s*=)[^;]*/, '$1$2');
  return lines.join('') + relaxed('dkim-signature', emptied);
}

const cached_keys_max = 1000;
const cached_keys = new Map<string, KeyObject | null>();

/** Parsed keys are cached by their DNS record, because parsing a key takes as long as verifying with it. */
async function publicKey(name: string, lookUp: DnsLookup): Promise<KeyObject | null> {
  const records = await lookUp(name, 'TXT').catch(() => []);
  if (records.length !== 1) return null;
  const record = [records[0]!].flat().join('').replaceAll(/\s+/g, '');
  let key = cached_keys.get(record);
  if (key === undefined) {
    key = readKey(record);
    if (cached_keys.size >= cached_keys_max) cached_keys.clear();
    cached_keys.set(record, key);
  }
  return key;
}

function readKey(record: string): KeyObject | null {
  const p = /^(?:v=DKIM1;)?(?:k=rsa;)?p=([A-Za-z0-9+/]+={0,2});?$/.exec(record)?.[1];
  if (!p) return null;
  try {
    const key = createPublicKey({ key: Buffer.from(p, 'base64'), format: 'der', type: 'spki' });
    const is_strong =
      key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 1024;
    return is_strong ? key : null;
  } catch {
    return null;
  }
}
