// Requests to Twilio's API: form-encoded, with Basic authentication.
import type { CarrierFailure } from '../carrier.ts';
import { type CarrierResponse, carrierHttp, misconfigured, textField } from '../carrier-http.ts';

type Form = Record<string, string> | [string, string][];

export type TwilioApi = {
  get(path: string, query?: Record<string, string>): Promise<CarrierResponse>;
  post(path: string, form: Form): Promise<CarrierResponse>;
  delete(path: string): Promise<CarrierResponse>;
};

export function twilioApi(settings: {
  account_sid: string;
  auth_token: string;
  base_url: string;
  timeout_ms?: number;
}): TwilioApi {
  const http = carrierHttp({ timeout_ms: settings.timeout_ms ?? 15_000 });
  const credentials = Buffer.from(`${settings.account_sid}:${settings.auth_token}`).toString('base64');
  const headers = { authorization: `Basic ${credentials}` };
  const account_url = `${settings.base_url}/2010-04-01/Accounts/${settings.account_sid}`;
  return {
    get(path, query = {}) {
      const text = new URLSearchParams(query).toString();
      return http({ method: 'GET', url: `${account_url}${path}${text && `?${text}`}`, headers });
    },
    post: (path, form) =>
      http({
        method: 'POST',
        url: account_url + path,
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      }),
    delete: (path) => http({ method: 'DELETE', url: account_url + path, headers }),
  };
}

export const errorIn = (json: unknown): { code: string; detail: string } => ({
  code: textField(json, 'code') ?? 'unknown',
  detail: textField(json, 'message') ?? '',
});

export const refused = (status: number, json: unknown): CarrierFailure =>
  status === 401 || status === 403 ? misconfigured(status) : { outcome: 'refused', ...errorIn(json) };
