// Secrets: constant-time comparison, sealing for storage, random tokens, and signed links that expire.

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Hashing first makes both sides equally long, so not even the length of the secret shows in the timing. */
export function sameSecret(a: string, b: string): boolean {
  return secretMatcher(a)(b);
}

/** The same comparison for a secret that is checked often: its hash is computed only once. */
export function secretMatcher(secret: string): (candidate: string) => boolean {
  const expected = hash('sha256', secret, 'buffer');
  const padded = Buffer.alloc(expected.length);
  return (candidate) => {
    // Via a string: allocating a buffer for every digest costs more than the digest itself.
    padded.write(hash('sha256', candidate, 'binary'), 'binary');
    return timingSafeEqual(expected, padded);
  };
}

export function sha256Base64url(text: string): string {
  return hash('sha256', text, 'base64url');
}

export function randomToken(prefix: string, size_bytes = 32): string {
  return prefix + randomBytes(size_bytes).toString('base64url');
}

/** A sealed value that cannot be opened. It never says why, because the reason would help an attacker. */
export class SealBroken extends Error {
  override name = 'SealBroken';
  constructor() {
    super('The sealed value cannot be opened.');
  }
}

export type MasterKey = { id: string; key: Buffer };

export type Sealer = {
  seal(plaintext: string | Buffer, context: string): string;
  open(sealed: string, context: string): Buffer;
  rewrap(sealed: string): string;
};

const SEAL_VERSION = 'v1';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Envelope encryption. Every value has its own data key, wrapped by a master key, so that rotating the master key
 * re-wraps short keys and does not touch the values. The context (owner and purpose of the value) is authenticated but
 * not stored: a value copied to another owner's row does not open there.
 *
 * The text form is `v1.<master key id>.<wrapped data key>.<encrypted value>`.
 */
export function sealer(master_keys: readonly MasterKey[]): Sealer {
  const keys = new Map<string, KeyObject>();
  for (const { id, key } of master_keys) {
    if (!/^[A-Za-z0-9_-]+$/.test(id))
      throw new RangeError(`The master key id "${id}" may hold only A-Z a-z 0-9 _ -`);
    if (key.length !== KEY_BYTES)
      throw new RangeError(`The master key "${id}" must be ${KEY_BYTES} bytes long`);
    if (keys.has(id)) throw new RangeError(`The master key id "${id}" is used twice`);
    keys.set(id, createSecretKey(key));
  }
  const current_id = master_keys[0]?.id;
  if (current_id === undefined) throw new RangeError('At least one master key is needed');

  const wrap = (data_key: Buffer) => encrypt(keys.get(current_id)!, data_key, wrapContext(current_id));
  const unwrap = (envelope: Envelope): Buffer => {
    const master = keys.get(envelope.key_id);
    if (!master) throw new SealBroken();
    return decrypt(master, envelope.wrapped_key, wrapContext(envelope.key_id));
  };

  return {
    seal(plaintext, context) {
      const data_key = randomBytes(KEY_BYTES);
      return envelopeText({
        key_id: current_id,
        wrapped_key: wrap(data_key),
        value: encrypt(createSecretKey(data_key), plaintext, context),
      });
    },

    open(sealed, context) {
      const envelope = parseEnvelope(sealed);
      return decrypt(createSecretKey(unwrap(envelope)), envelope.value, context);
    },

    /** Returns the same text when the current master key already wraps the value. */
    rewrap(sealed) {
      const envelope = parseEnvelope(sealed);
      if (envelope.key_id === current_id) return sealed;
      return envelopeText({ ...envelope, key_id: current_id, wrapped_key: wrap(unwrap(envelope)) });
    },
  };
}

type Envelope = { key_id: string; wrapped_key: Buffer; value: Buffer };

const wrapContext = (key_id: string) => `${SEAL_VERSION}.${key_id}`;

function envelopeText({ key_id, wrapped_key, value }: Envelope): string {
  return [SEAL_VERSION, key_id, wrapped_key.toString('base64url'), value.toString('base64url')].join('.');
}

function parseEnvelope(sealed: string): Envelope {
  const [version, key_id, wrapped_key, value, ...rest] = sealed.split('.');
  if (version !== SEAL_VERSION || !key_id || !wrapped_key || !value || rest.length > 0)
    throw new SealBroken();
  return { key_id, wrapped_key: strictBase64url(wrapped_key), value: strictBase64url(value) };
}

/** Buffer.from ignores invalid characters, but one value must have exactly one text form. */
function strictBase64url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new SealBroken();
  return bytes;
}

/** AES-256-GCM. The context is authenticated but not stored. */
export function encrypt(key: KeyObject, plaintext: string | Buffer, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(context),
  );
  const body = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext;
  return Buffer.concat([iv, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
}

export function decrypt(key: KeyObject, box: Buffer, context: string): Buffer {
  if (box.length < IV_BYTES + TAG_BYTES) throw new SealBroken();
  const iv = box.subarray(0, IV_BYTES);
  const body = box.subarray(IV_BYTES, -TAG_BYTES);
  const tag = box.subarray(-TAG_BYTES);
  // Without a fixed tag length GCM accepts a tag of 4 bytes, which can be guessed.
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    throw new SealBroken();
  }
}

/** A separate key for each purpose, so that a signature for one purpose is invalid for another. */
export const derivedKey = (master_key: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master_key, '', `parley ${purpose}`, KEY_BYTES));

const SIGNATURE_FIELD = '&signature=';

export type SignedUrlVerdict =
  | { ok: true; claims: Record<string, string> }
  | { ok: false; reason: 'expired' | 'invalid' };

export type UrlSigner = {
  sign(path: string, expires_at: Date, claims?: Record<string, string>): string;
  verify(path_with_query: string, now: Date): SignedUrlVerdict;
};

/**
 * Links that work without a credential. The signature is the last field and covers every character before it, so adding,
 * removing, repeating or moving a field makes the link invalid.
 */
export function urlSigner(key: Buffer): UrlSigner {
  if (key.length < KEY_BYTES)
    throw new RangeError(`The signing key must be at least ${KEY_BYTES} bytes long`);
  const secret = createSecretKey(key);
  const signatureOf = (signed_part: string) =>
    createHmac('sha256', secret).update(signed_part).digest('base64url');

  return {
    sign(path, expires_at, claims = {}) {
      if (!path.startsWith('/') || /[?#]/.test(path))
        throw new TypeError('A signed path starts with / and has no query');
      if (Number.isNaN(expires_at.getTime())) throw new TypeError('A signed path needs a valid expiry');
      if ('expires' in claims || 'signature' in claims) {
        throw new TypeError('The names "expires" and "signature" belong to the signer');
      }
      const query = new URLSearchParams(claims);
      query.sort();
      query.append('expires', String(Math.floor(expires_at.getTime() / 1000)));
      const signed_part = `${path}?${query}`;
      return signed_part + SIGNATURE_FIELD + signatureOf(signed_part);
    },

    verify(path_with_query, now) {
      const end = path_with_query.lastIndexOf(SIGNATURE_FIELD);
      if (end === -1) return { ok: false, reason: 'invalid' };
      const signed_part = path_with_query.slice(0, end);
      const signature = path_with_query.slice(end + SIGNATURE_FIELD.length);
      if (!sameSecret(signature, signatureOf(signed_part))) return { ok: false, reason: 'invalid' };

      const query = new URLSearchParams(signed_part.slice(signed_part.indexOf('?') + 1));
      const { expires, ...claims } = Object.fromEntries(query);
      if (now.getTime() >= Number(expires) * 1000) return { ok: false, reason: 'expired' };
      return { ok: true, claims };
    },
  };
}
