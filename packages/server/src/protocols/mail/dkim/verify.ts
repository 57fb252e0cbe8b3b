// Verifies the DKIM signatures that nearly all mail carries (RFC 6376: sha256, relaxed headers, plain key records), and only says
// something when all of them are good. Whatever is unusual, and whatever fails, is judged by the full verifier.
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { DnsLookup } from '../dns-lookup.ts';
import { bodyHasher } from './body-hash.ts';

export type QuickResult = {
  /** The one address of the one From field. */
  header_from: string;
  /** Of good signatures; empty when there is none at all. */
  signatures: { domain: string; selector: string }[];
};

/** One field with its folds; the name is in lower case. */
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

/** Null: ask the full verifier. */
export async function quickDkim(
  raw: Buffer,
  body_start: number,
  lookUp: DnsLookup,
  header: Header = fieldsOf(raw.toString('latin1', 0, body_start)),
): Promise<QuickResult | null> {
  if (!header.is_regular) return null;
  const fields = header.all;
  const of = (name: string) => fields.filter((field) => field.name === name);
  const [from, ...more_from] = of('from');
  if (!from || more_from.length > 0 || fields.some(({ name }) => name.startsWith('arc-'))) return null;
  const address = from_form.exec(unfolded(valueIn(from)).trim());
  const header_from = address?.[1] ?? address?.[2];
  const signed = of('dkim-signature');
  if (!header_from || signed.length > signatures_max) return null;
  const signatures: QuickResult['signatures'] = [];
  const hashes = new Map<string, string>();
  for (const field of signed) {
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
  /** False where any line is not as a field should be: what such a line means is for the full verifier to judge. */
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
    // A limit of the body, an expiry, or anything twice: not ours to judge.
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
    // Piece by piece: a large body as one text would stand in memory several times.
    for (let at = 0; at < body.length; at += chunk_bytes) hasher.update(body.subarray(at, at + chunk_bytes));
    return hasher.digest();
  }
  let end = body.length;
  while (end >= 2 && body[end - 1] === 0x0a && body[end - 2] === 0x0d) end -= 2;
  return createHash('sha256').update(body.subarray(0, end)).update('\r\n').digest('base64');
}

/** Of several fields of a name the last one not yet taken is meant; one that is not there counts as nothing. */
function signedText(fields: Field[], own: Field, names: string[]): string {
  const left = Map.groupBy(
    fields.filter((field) => field !== own),
    ({ name }) => name,
  );
  const lines: string[] = [];
  for (const name of names) {
    const field = left.get(name)?.pop();
    if (field) lines.push(`${relaxed(name, valueIn(field))}\r\n`);
  }
  const emptied = unfolded(valueIn(own)).replace(/(^|;)(\s*b\s*=)[^;]*/, '$1$2');
  return lines.join('') + relaxed('dkim-signature', emptied);
}

const keys_at_hand = 1000;
const keys = new Map<string, KeyObject | null>();

/** Parsing a key costs as much as using it: those in use are kept, by their record. */
async function publicKey(name: string, lookUp: DnsLookup): Promise<KeyObject | null> {
  const records = await lookUp(name, 'TXT').catch(() => []);
  if (records.length !== 1) return null;
  const record = [records[0]!].flat().join('').replaceAll(/\s+/g, '');
  let key = keys.get(record);
  if (key === undefined) {
    key = readKey(record);
    if (keys.size >= keys_at_hand) keys.clear();
    keys.set(record, key);
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
