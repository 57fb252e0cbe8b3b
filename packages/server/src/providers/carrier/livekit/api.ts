// Requests to a LiveKit server: Twirp with JSON, with a new token for each request.
import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import type { CarrierFailure } from '../carrier-failure.ts';
import { parseJson } from '../carrier-http.ts';

export type LiveKitAccess = {
  /** https:// or wss://; requests go to the same host over HTTPS. */
  url: string;
  api_key: string;
  api_secret: string;
  now_ms(): number;
};

export type LiveKitResponse =
  | { outcome: 'done'; json: unknown }
  /** `code` is Twirp's. `sip_status` is set when a call was not answered. */
  | { outcome: 'refused'; code: string; detail: string; sip_status: number | null }
  /** Nothing was done. */
  | { outcome: 'busy'; detail: string }
  | { outcome: 'lost'; detail: string };

const token_seconds = 600;
/** Errors that happen before the first byte of the request is sent. */
const unsent_errors = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const encodedPart = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signature = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest('base64url');

/** A JSON Web Token (RFC 7519) signed with HS256. */
export function tokenOf(
  access: Pick<LiveKitAccess, 'api_key' | 'api_secret' | 'now_ms'>,
  claims: object,
): string {
  const now = Math.floor(access.now_ms() / 1000);
  const text = `${encodedPart({ alg: 'HS256', typ: 'JWT' })}.${encodedPart({ iss: access.api_key, nbf: now - 10, exp: now + token_seconds, ...claims })}`;
  return `${text}.${signature(access.api_secret, text)}`;
}

export function liveKitApi(access: LiveKitAccess) {
  const agent = new Agent({ connections: 256, connect: { timeout: 5000 } });
  const base = access.url.replace(/^ws/, 'http').replace(/\/+$/, '');

  return async (
    method: string,
    grants: object,
    body: object,
    timeout_ms = 15_000,
  ): Promise<LiveKitResponse> => {
    try {
      const response = await request(`${base}/twirp/livekit.${method}`, {
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
      const text = await response.body.text();
      const json = parseJson(text);
      if (response.statusCode === 200) return { outcome: 'done', json };
      const { code, msg, meta } = (json ?? {}) as {
        code?: string;
        msg?: string;
        meta?: Record<string, string>;
      };
      if (code === undefined) return { outcome: 'lost', detail: `status ${response.statusCode}` };
      const sip_status = Number(meta?.sip_status_code);
      const detail = [msg, meta?.sip_status].filter(Boolean).join(': ');
      // No SIP server took the request, or all of them are at their limit.
      if (code === 'unavailable' && !(sip_status > 0)) return { outcome: 'busy', detail };
      return { outcome: 'refused', code, detail, sip_status: sip_status > 0 ? sip_status : null };
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      return unsent_errors.has(code)
        ? { outcome: 'busy', detail: code }
        : { outcome: 'lost', detail: code || message };
    }
  };
}
export type LiveKitApi = ReturnType<typeof liveKitApi>;

/** Permissions of a token that manages one room. */
export const roomGrants = (room: string) => ({ video: { roomAdmin: true, roomCreate: true, room } });

/** A token to take part in one room. */
export const joinGrants = (room: string, identity: string) => ({
  sub: identity,
  video: { roomJoin: true, room, canPublish: true, canSubscribe: true, canPublishData: true },
});

export const failureOf = (response: Exclude<LiveKitResponse, { outcome: 'done' }>): CarrierFailure =>
  response.outcome === 'busy' ? { ...response, retry_after_seconds: 1 } : response;
