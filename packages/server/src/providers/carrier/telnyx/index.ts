// Telnyx as a carrier: version 2 of its API.
import type { Carrier } from '../carrier.ts';
import { field } from '../carrier-http.ts';
import { messagingCarrier } from '../carrier-kinds.ts';
import { refused, telnyxApi } from './api.ts';
import { callbackReader } from './callbacks.ts';
import { telnyxMessaging } from './messaging-port.ts';
import { telnyxNumbers } from './numbers.ts';
import { telnyxRegistration } from './registration/index.ts';
import { telnyxSms } from './sms.ts';
import { type TelnyxVoice, telnyxVoice } from './voice.ts';

export type TelnyxSettings = {
  api_key: string;
  public_key: string;
  messaging_profile_id: string;
  connection_id: string | null;
  base_url: string;
  /** Our URL for Telnyx's webhooks. It is known only after the service listens. */
  callbackUrl(): string;
  now_ms(): number;
  timeout_ms?: number;
  /** Null where this process has no media sockets. */
  voice: TelnyxVoice | null;
};

export function telnyxCarrier(settings: TelnyxSettings): Carrier {
  const api = telnyxApi(settings);
  const { connection_id, callbackUrl } = settings;
  const calls =
    settings.voice && connection_id !== null
      ? telnyxVoice({ ...settings.voice, api, connection_id, callbackUrl })
      : null;
  const common = messagingCarrier(calls);
  return {
    name: 'telnyx',
    ...common,
    capabilities: { ...common.capabilities, verification: true },
    registration: telnyxRegistration({ ...settings, api }),
    messaging: telnyxMessaging({ api, callbackUrl }),
    sms: telnyxSms(api, settings),
    numbers: telnyxNumbers(api, settings),
    async check() {
      const response = await api.get('/phone_numbers', [['page[size]', '1']]);
      if (response.outcome !== 'response') return response;
      return response.status === 200 ? { outcome: 'done' } : refused(response.status, response.json);
    },
    async callState(provider_call_id) {
      const response = await api.get(`/calls/${encodeURIComponent(provider_call_id)}`);
      if (response.outcome !== 'response') return response;
      if (response.status === 404 || response.status === 422) return { outcome: 'ended' };
      if (response.status !== 200) return refused(response.status, response.json);
      return { outcome: field(response.json, 'data', 'is_alive') === true ? 'live' : 'ended' };
    },
    readCallback: callbackReader(settings, calls),
  };
}
