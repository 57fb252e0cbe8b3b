// Requests to version 2 of Telnyx's API: JSON with a Bearer key.
import type { CarrierFailure } from '../carrier.ts';
import { type CarrierResponse, carrierHttp, misconfigured, textField } from '../carrier-http.ts';

export type TelnyxApi = {
  get(path: string, query?: [string, string][]): Promise<CarrierResponse>;
  post(path: string, body: unknown): Promise<CarrierResponse>;
  patch(path: string, body: unknown): Promise<CarrierResponse>;
  delete(path: string): Promise<CarrierResponse>;
};

export function telnyxApi(settings: { api_key: string; base_url: string; timeout_ms?: number }): TelnyxApi {
  const http = carrierHttp({ timeout_ms: settings.timeout_ms ?? 15_000 });
  const { base_url } = settings;
  const headers = { authorization: `Bearer ${settings.api_key}` };
  const send = (method: 'POST' | 'PATCH', path: string, body: unknown) =>
    http({
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
    patch: (path, body) => send('PATCH', path, body),
    delete: (path) => http({ method: 'DELETE', url: base_url + path, headers }),
  };
}

export const errorIn = (json: unknown): { code: string; detail: string } => ({
  code: textField(json, 'errors', 0, 'code') ?? 'unknown',
  detail: textField(json, 'errors', 0, 'detail') ?? textField(json, 'errors', 0, 'title') ?? '',
});

export const refused = (status: number, json: unknown): CarrierFailure =>
  status === 401 || status === 403 ? misconfigured(status) : { outcome: 'refused', ...errorIn(json) };
