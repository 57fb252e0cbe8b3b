// AWS Signature Version 4: signs requests and presigned URLs for services that use this protocol.
import { createHash, createHmac } from 'node:crypto';

export type SigningCredentials = {
  access_key_id: string;
  secret_access_key: string;
  /** Of temporary credentials. */
  session_token?: string | null;
  region: string;
  service: string;
};

const algorithm = 'AWS4-HMAC-SHA256';
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();

/** Escapes all characters except the unreserved ones of RFC 3986. */
const escaped = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const canonicalQuery = (query: URLSearchParams) =>
  [...query]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join('&');

const stampOf = (now: Date) => now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');

export function sigv4(credentials: SigningCredentials) {
  const { region, service } = credentials;
  const scopeOf = (stamp: string) => `${stamp.slice(0, 8)}/${region}/${service}/aws4_request`;
  const signatureOf = (stamp: string, canonical: string) => {
    const date = hmac(`AWS4${credentials.secret_access_key}`, stamp.slice(0, 8));
    const key = hmac(hmac(hmac(date, region), service), 'aws4_request');
    return hmac(key, [algorithm, stamp, scopeOf(stamp), sha256(canonical)].join('\n')).toString('hex');
  };
  const canonicalRequest = (
    method: string,
    url: URL,
    query: URLSearchParams,
    headers: [string, string][],
    payload_hash: string,
  ) =>
    [
      method,
      url.pathname
        .split('/')
        .map((part) => escaped(decodeURIComponent(part)))
        .join('/'),
      canonicalQuery(query),
      ...headers.map(([name, value]) => `${name}:${value}`),
      '',
      headers.map(([name]) => name).join(';'),
      payload_hash,
    ].join('\n');

  return {
    /** The headers of a signed request. The hash of a streamed body is not part of the signature; TLS protects it. */
    headers(
      method: string,
      url: URL,
      options: { now: Date; body: string | Buffer | 'streamed'; headers?: Record<string, string> },
    ): Record<string, string> {
      const stamp = stampOf(options.now);
      const payload_hash = options.body === 'streamed' ? 'UNSIGNED-PAYLOAD' : sha256(options.body);
      const all: Record<string, string> = {
        ...options.headers,
        host: url.host,
        'x-amz-date': stamp,
        'x-amz-content-sha256': payload_hash,
        ...(credentials.session_token ? { 'x-amz-security-token': credentials.session_token } : {}),
      };
      const signed = Object.entries(all)
        .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim()])
        .sort(([a], [b]) => (a < b ? -1 : 1));
      const canonical = canonicalRequest(method, url, url.searchParams, signed, payload_hash);
      const names = signed.map(([name]) => name).join(';');
      return {
        ...all,
        authorization: `${algorithm} Credential=${credentials.access_key_id}/${scopeOf(stamp)}, SignedHeaders=${names}, Signature=${signatureOf(stamp, canonical)}`,
      };
    },

    /** A presigned URL: anyone who has it can use it until it expires. */
    link(method: string, url: URL, options: { now: Date; expires_seconds: number }): string {
      const stamp = stampOf(options.now);
      const query = new URLSearchParams(url.searchParams);
      query.set('X-Amz-Algorithm', algorithm);
      query.set('X-Amz-Credential', `${credentials.access_key_id}/${scopeOf(stamp)}`);
      query.set('X-Amz-Date', stamp);
      query.set('X-Amz-Expires', String(options.expires_seconds));
      if (credentials.session_token) query.set('X-Amz-Security-Token', credentials.session_token);
      query.set('X-Amz-SignedHeaders', 'host');
      const canonical = canonicalRequest(method, url, query, [['host', url.host]], 'UNSIGNED-PAYLOAD');
      return `${url.origin}${url.pathname}?${canonicalQuery(query)}&X-Amz-Signature=${signatureOf(stamp, canonical)}`;
    },
  };
}
