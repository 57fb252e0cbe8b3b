// Requests to version 2 of Telnyx's API: JSON with a Bearer key.
import type { CarrierFailure } from '../carrier-failure.ts';
import { type CarrierResponse, carrierHttp, misconfigured, textField } from '../carrier-http.ts';
import { multipartBody, type UploadedFile } from '../multipart-body.ts';

type Query = [string, string][];

export type TelnyxApi = {
  get(path: string, query?: Query): Promise<CarrierResponse>;
  post(path: string, body?: unknown): Promise<CarrierResponse>;
  put(path: string, body?: unknown): Promise<CarrierResponse>;
  patch(path: string, body: unknown): Promise<CarrierResponse>;
  delete(path: string): Promise<CarrierResponse>;
  upload(path: string, fields: Record<string, string>, file: UploadedFile): Promise<CarrierResponse>;
};

const upload_timeout_ms = 60_000;

export function telnyxApi(settings: { api_key: string; base_url: string; timeout_ms?: number }): TelnyxApi {
  const http = carrierHttp({ timeout_ms: settings.timeout_ms ?? 15_000 });
  const { base_url } = settings;
  const headers = { authorization: `Bearer ${settings.api_key}` };
  const send = (method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown) =>
    body === undefined
      ? http({ method, url: base_url + path, headers })
      : http({
          method,
          url: base_url + path,
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
  return {
    get(path, query = []) {
      const text = new URLSearchParams(query).toString();
      return http({ method: 'GET', url: `${base_url}${path}${text && `?${text}`}`, headers });
    },
    post: (path, body) => send('POST', path, body),
    put: (path, body) => send('PUT', path, body),
    patch: (path, body) => send('PATCH', path, body),
    delete: (path) => http({ method: 'DELETE', url: base_url + path, headers }),
    upload(path, fields, file) {
      const { content_type, body } = multipartBody(fields, file);
      return http({
        method: 'POST',
        url: base_url + path,
        headers: { ...headers, 'content-type': content_type },
        body,
        timeout_ms: settings.timeout_ms ?? upload_timeout_ms,
      });
    },
  };
}

export const errorIn = (json: unknown): { code: string; detail: string } => ({
  code: textField(json, 'errors', 0, 'code') ?? 'unknown',
  detail: textField(json, 'errors', 0, 'detail') ?? textField(json, 'errors', 0, 'title') ?? '',
});

export const refused = (status: number, json: unknown): CarrierFailure =>
  status === 401 || status === 403 ? misconfigured(status) : { outcome: 'refused', ...errorIn(json) };

/** The JSON of a successful answer; null for an object that Telnyx does not have. */
export async function readOne(
  response: Promise<CarrierResponse>,
): Promise<{ outcome: 'found'; json: unknown } | { outcome: 'absent' } | CarrierFailure> {
  const answer = await response;
  if (answer.outcome !== 'response') return answer;
  if (answer.status === 404) return { outcome: 'absent' };
  return answer.status < 300 ? { outcome: 'found', json: answer.json } : refused(answer.status, answer.json);
}

/** As a part of a path. */
export const segment = (id: string): string => encodeURIComponent(id);
