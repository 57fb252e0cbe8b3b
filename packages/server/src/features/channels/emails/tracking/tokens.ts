// Signed tokens in tracking links: the email and the target URL. A forged token is rejected, so links cannot redirect elsewhere.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

export const trackingPath = { open: '/t/o/', click: '/t/c/', unsubscribe: '/t/u/' } as const;

const tag_bytes = 16;
export const trackingKinds = ['open', 'click', 'unsubscribe'] as const;
export type TrackingKind = (typeof trackingKinds)[number];

export function trackingTokens(key: Buffer) {
  const secret = createSecretKey(key);
  // The kind is signed too, so that the token of a pixel cannot be used as the token of a link.
  const tagOf = (kind: TrackingKind, body: Buffer) =>
    createHmac('sha256', secret).update(`${kind}\0`).update(body).digest().subarray(0, tag_bytes);

  return {
    /** `target` is the URL that a click redirects to. */
    write(kind: TrackingKind, email_id: string, target = ''): string {
      const body = Buffer.concat([Buffer.from(email_id.replaceAll('-', ''), 'hex'), Buffer.from(target)]);
      return Buffer.concat([tagOf(kind, body), body]).toString('base64url');
    },
    read(kind: TrackingKind, token: string): { email_id: string; target: string } | null {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length < tag_bytes + 16 || bytes.toString('base64url') !== token) return null;
      const body = bytes.subarray(tag_bytes);
      if (!timingSafeEqual(bytes.subarray(0, tag_bytes), tagOf(kind, body))) return null;
      const email_id = body
        .toString('hex', 0, 16)
        .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
      return { email_id, target: body.toString('utf8', 16) };
    },
  };
}
export type TrackingTokens = ReturnType<typeof trackingTokens>;
