// Twilio as a carrier: the 2010-04-01 API.
import type { Carrier } from '../carrier.ts';
import { textField } from '../carrier-http.ts';
import { messagingCarrier } from '../carrier-kinds.ts';
import { refused, twilioApi } from './api.ts';
import { callbackReader } from './callbacks.ts';
import { twilioMessaging } from './messaging-services.ts';
import { twilioNumbers } from './numbers.ts';
import { twilioRegistration } from './registration/index.ts';
import { regulationReader } from './registration/regulations.ts';
import { twilioSms } from './sms.ts';
import { live_calls } from './translate.ts';
import { type TwilioVoice, twilioVoice } from './voice.ts';

export type TwilioSettings = {
  account_sid: string;
  auth_token: string;
  base_url: string;
  /** Our URL for Twilio's callbacks. It is known only after the service listens. */
  callbackUrl(): string;
  timeout_ms?: number;
  /** Null where this process has no media sockets. */
  voice: TwilioVoice | null;
  /** Who Twilio writes to about registrations. */
  compliance_email: string | null;
  /** The operator's approved primary customer profile, BU…. */
  customer_profile_sid: string | null;
};

export function twilioCarrier(settings: TwilioSettings): Carrier {
  const { callbackUrl } = settings;
  const api = twilioApi(settings);
  const regulations = regulationReader(api);
  const calls = settings.voice && twilioVoice({ ...settings.voice, api, callbackUrl });
  const common = messagingCarrier(calls);
  return {
    name: 'twilio',
    ...common,
    capabilities: { ...common.capabilities, verification: true },
    sms: twilioSms(api, callbackUrl),
    numbers: twilioNumbers(api, regulations, callbackUrl),
    registration: twilioRegistration({ ...settings, api, regulations }),
    messaging: twilioMessaging(api),
    async check() {
      const response = await api.get('/IncomingPhoneNumbers.json', { PageSize: '1' });
      if (response.outcome !== 'response') return response;
      return response.status === 200 ? { outcome: 'done' } : refused(response.status, response.json);
    },
    async callState(provider_call_id) {
      const response = await api.get(`/Calls/${encodeURIComponent(provider_call_id)}.json`);
      if (response.outcome !== 'response') return response;
      if (response.status === 404) return { outcome: 'ended' };
      if (response.status !== 200) return refused(response.status, response.json);
      return { outcome: live_calls.has(textField(response.json, 'status') ?? '') ? 'live' : 'ended' };
    },
    readCallback: callbackReader(settings.auth_token, calls),
  };
}
