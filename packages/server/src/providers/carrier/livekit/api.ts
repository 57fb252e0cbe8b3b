// Requests to a LiveKit server: Twirp over JSON, with a token that is made for each of them.
import { createHash, createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { sameSecret } from '../../../platform/crypto.ts';

export type LiveKitAccess = {
  /** https://…; where it is wss://… the same host is asked. */
  url: string;
  api_key: string;
  api_secret: string;
  now_ms(): number;
};

export type LiveKitAnswer =
  | { outcome: 'done'; json: unknown }
  /** `code` is Twirp's; a call that was not answered comes with a SIP status. */
  | { outcome: 'refused'; code: string; detail: string; sip_status: number | null }
  /** Nothing was sent. */
  | { outcome: 'busy'; detail: string }
  | { outcome: 'lost'; detail: string };

const token_seconds = 600;
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signature = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest('base64url');

/** A JSON Web Token (RFC 7519) signed with HS256. */
export function tokenOf(
  access: Pick<LiveKitAccess, 'api_key' | 'api_secret' | 'now_ms'>,
  claims: object,
): string {
  const now = Math.floor(access.now_ms() / 1000);
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iss: access.api_key, nbf: now - 10, exp: now + token_seconds, ...claims })}`;
  return `${text}.${signature(access.api_secret, text)}`;
}

/** Whether a webhook is LiveKit's, or that of an agent who has its secret: signed, in time, and over this very body. */
export function isAuthentic(
  access: Pick<LiveKitAccess, 'api_key' | 'api_secret' | 'now_ms'>,
  authorization: string,
  body: Buffer,
): boolean {
  const [head = '', payload = '', given = ''] = authorization.replace(/^Bearer /, '').split('.');
  if (!sameSecret(signature(access.api_secret, `${head}.${payload}`), given)) return false;
  try {
    const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg?: unknown };
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const now = access.now_ms() / 1000;
    const digest = createHash('sha256').update(body).digest('base64');
    return (
      alg === 'HS256' &&
      claims.iss === access.api_key &&
      typeof claims.exp === 'number' &&
      claims.exp > now &&
      (typeof claims.nbf !== 'number' || claims.nbf <= now + 60) &&
      claims.sha256 === digest
    );
  } catch {
    return false;
  }
}

export function liveKitApi(access: LiveKitAccess) {
  const agent = new Agent({ connections: 256, connect: { timeout: 5000 } });
  const base = access.url.replace(/^ws/, 'http').replace(/\/+$/, '');

  return async (
    method: string,
    grants: object,
    body: object,
    timeout_ms = 15_000,
  ): Promise<LiveKitAnswer> => {
    try {
      const answer = await request(`${base}/twirp/livekit.${method}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${tokenOf(access, grants)}`,
        },
        body: JSON.stringify(body),
        dispatcher: agent,
        headersTimeout: timeout_ms,
        signal: AbortSignal.timeout(timeout_ms),
      });
      const text = await answer.body.text();
      let json: unknown = null;
      try {
        json = JSON.parse(text);
      } catch {}
      if (answer.statusCode === 200) return { outcome: 'done', json };
      const { code, msg, meta } = (json ?? {}) as {
        code?: string;
        msg?: string;
        meta?: Record<string, string>;
      };
      if (code === undefined) return { outcome: 'lost', detail: `status ${answer.statusCode}` };
      const sip_status = Number(meta?.sip_status_code);
      const detail = [msg, meta?.sip_status].filter(Boolean).join(': ');
      return { outcome: 'refused', code, detail, sip_status: sip_status > 0 ? sip_status : null };
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      return unsent.has(code)
        ? { outcome: 'busy', detail: code }
        : { outcome: 'lost', detail: code || message };
    }
  };
}
export type LiveKitApi = ReturnType<typeof liveKitApi>;
