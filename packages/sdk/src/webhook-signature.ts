// Verifies that a webhook request came from Parley, and creates signed requests for tests.
import { SignatureError } from './errors.ts';

export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

const tolerance_seconds = 300;
const encoder = new TextEncoder();

const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? encoder.encode(body) : body;

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : (value?.[0] ?? null);
}

async function hmac(key: Uint8Array, ...parts: Uint8Array[]): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey(
    'raw',
    key as Uint8Array<ArrayBuffer>,
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const message = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    message.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message));
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/** The Standard Webhooks signature uses the decoded bytes after the prefix as the key; ours uses the secret as text. */
const standardKey = (secret: string) =>
  Uint8Array.from(
    atob(
      secret
        .replace(/^whsec_/, '')
        .replaceAll('-', '+')
        .replaceAll('_', '/'),
    ),
    (char) => char.charCodeAt(0),
  );

/** Constant-time comparison. */
function same(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i % (b.length || 1));
  return difference === 0;
}

const serviceSignature = async (secret: string, timestamp: string, body: Uint8Array) =>
  hex(await hmac(encoder.encode(secret), encoder.encode(`${timestamp}.`), body));

const standardSignature = async (secret: string, id: string, timestamp: string, body: Uint8Array) =>
  base64(await hmac(standardKey(secret), encoder.encode(`${id}.${timestamp}.`), body));

/**
 * Returns the event if the request was signed with `secret` within the last five minutes, and throws a SignatureError
 * otherwise. Pass the raw body, not a parsed and serialized copy.
 */
export async function verifyWebhook<Event>(
  raw_body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options: { now?: Date; tolerance_seconds?: number } = {},
): Promise<Event> {
  const body = bytesOf(raw_body);
  const now = (options.now ?? new Date()).getTime() / 1000;
  const fresh = (timestamp: string | undefined): timestamp is string =>
    timestamp !== undefined &&
    /^\d{1,12}$/.test(timestamp) &&
    Math.abs(now - Number(timestamp)) <= (options.tolerance_seconds ?? tolerance_seconds);

  const own_header = headerOf(headers, 'x-service-signature');
  const standard = headerOf(headers, 'webhook-signature');
  let timestamp: string | undefined;
  let expected: string;
  let signatures: string[];
  if (own_header !== null) {
    const fields = own_header
      .split(',')
      .map((field) => field.trim().split('=', 2) as [string, string | undefined]);
    timestamp = fields.find(([name]) => name === 't')?.[1];
    signatures = fields.flatMap(([name, value]) => (name === 'v1' && value ? [value] : []));
    expected = await serviceSignature(secret, timestamp ?? '', body);
  } else if (standard !== null) {
    timestamp = headerOf(headers, 'webhook-timestamp') ?? undefined;
    signatures = standard.split(' ').flatMap((entry) => (entry.startsWith('v1,') ? [entry.slice(3)] : []));
    expected = await standardSignature(secret, headerOf(headers, 'webhook-id') ?? '', timestamp ?? '', body);
  } else {
    throw new SignatureError('The request has no signature');
  }
  if (!signatures.some((signature) => same(signature, expected)))
    throw new SignatureError('The signature does not match the body and the secret');
  if (!fresh(timestamp))
    throw new SignatureError('The signature is too old or in the future; check the clock of this machine');
  return JSON.parse(new TextDecoder().decode(body)) as Event;
}

/** The headers that Parley would send with this body, for tests of a receiver. */
export async function signWebhook(
  raw_body: string | Uint8Array,
  secret: string,
  options: { now?: Date; delivery_id?: string } = {},
): Promise<Record<string, string>> {
  const body = bytesOf(raw_body);
  const timestamp = String(Math.floor((options.now ?? new Date()).getTime() / 1000));
  const id = options.delivery_id ?? crypto.randomUUID();
  return {
    'content-type': 'application/json',
    'x-service-signature': `t=${timestamp},v1=${await serviceSignature(secret, timestamp, body)}`,
    'x-service-delivery': id,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${await standardSignature(secret, id, timestamp, body)}`,
  };
}
