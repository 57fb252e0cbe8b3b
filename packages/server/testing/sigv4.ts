// Verifies Signature Version 4 independently of the product code, for stand-ins that check signatures.
import { createHash, createHmac } from 'node:crypto';

export type SignedRequest = {
  method: string;
  url: URL;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');

const encode = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) && byte < 128
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

/** Whether the holder of the secret signed this request, in its headers or, until it expires, in its query. */
export function isSigned({ method, url, headers, body }: SignedRequest, secret: string, now_ms: number) {
  const query = new URLSearchParams(url.search);
  const from_query = query.get('X-Amz-Signature');
  const named = /Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(
    String(headers.authorization ?? ''),
  );
  const credential = from_query ? query.get('X-Amz-Credential') : named?.[1];
  const names = (from_query ? query.get('X-Amz-SignedHeaders')! : (named?.[2] ?? '')).split(';');
  const given = from_query ?? named?.[3];
  if (!credential || !given) return false;
  const stamp = from_query ? query.get('X-Amz-Date')! : String(headers['x-amz-date']);
  if (from_query) {
    const made = Date.parse(stamp.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'));
    if (now_ms > made + Number(query.get('X-Amz-Expires')) * 1000) return false;
  }
  const claimed = from_query ? 'UNSIGNED-PAYLOAD' : String(headers['x-amz-content-sha256']);
  if (claimed !== 'UNSIGNED-PAYLOAD' && claimed !== sha256(body)) return false;
  query.delete('X-Amz-Signature');
  const canonical = [
    method,
    url.pathname,
    [...query]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    claimed,
  ].join('\n');
  const [, ...scope] = credential.split('/');
  let key: Buffer | string = `AWS4${secret}`;
  for (const part of scope) key = createHmac('sha256', key).update(part).digest();
  const text = ['AWS4-HMAC-SHA256', stamp, scope.join('/'), sha256(canonical)];
  return createHmac('sha256', key).update(text.join('\n')).digest('hex') === given;
}
