// Requests to Twilio's API: form-encoded, with Basic authentication.
import type { CarrierFailure } from '../carrier-failure.ts';
import { type CarrierResponse, carrierHttp, misconfigured, textField } from '../carrier-http.ts';
import { multipartBody, type UploadedFile } from '../multipart-body.ts';
import { hostUrl, type TwilioHost } from './hosts.ts';

/** A list is sent as the same key several times. */
export type Form = Record<string, string | readonly string[]>;

type Requests = {
  get(path: string, query?: Record<string, string>): Promise<CarrierResponse>;
  post(path: string, form: Form | [string, string][]): Promise<CarrierResponse>;
  delete(path: string): Promise<CarrierResponse>;
};

export type TwilioHostApi = Requests & {
  upload(path: string, form: Record<string, string>, file: UploadedFile): Promise<CarrierResponse>;
};

/** The requests without a host are about the account: `/Messages.json`. */
export type TwilioApi = Requests & {
  /** Twilio's other hosts, with whole paths: `/v2/RegulatoryCompliance/Bundles`. */
  host(name: TwilioHost): TwilioHostApi;
};

const upload_timeout_ms = 60_000;

const encoded = (form: Form | [string, string][]): string => {
  const entries = Array.isArray(form) ? form : Object.entries(form);
  const text = new URLSearchParams();
  for (const [key, value] of entries)
    for (const each of typeof value === 'string' ? [value] : value) text.append(key, each);
  return text.toString();
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
  const requestsTo = (base: string): TwilioHostApi => ({
    get(path, query = {}) {
      const text = new URLSearchParams(query).toString();
      return http({ method: 'GET', url: `${base}${path}${text && `?${text}`}`, headers });
    },
    post: (path, form) =>
      http({
        method: 'POST',
        url: base + path,
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: encoded(form),
      }),
    delete: (path) => http({ method: 'DELETE', url: base + path, headers }),
    upload(path, form, file) {
      const { content_type, body } = multipartBody(form, file);
      return http({
        method: 'POST',
        url: base + path,
        headers: { ...headers, 'content-type': content_type },
        body,
        timeout_ms: settings.timeout_ms ?? upload_timeout_ms,
      });
    },
  });
  return {
    ...requestsTo(`${settings.base_url}/2010-04-01/Accounts/${settings.account_sid}`),
    host: (name) => requestsTo(hostUrl(settings.base_url, name)),
  };
}

export const errorIn = (json: unknown): { code: string; detail: string } => ({
  code: textField(json, 'code') ?? 'unknown',
  detail: textField(json, 'message') ?? '',
});

export const refused = (status: number, json: unknown): CarrierFailure =>
  status === 401 || status === 403 ? misconfigured(status) : { outcome: 'refused', ...errorIn(json) };
