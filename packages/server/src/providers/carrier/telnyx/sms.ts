// SMS over Telnyx: sending, and looking up what became of a text.
import type { SmsPort } from '../carrier.ts';
import { field, misconfigured, textField } from '../carrier-http.ts';
import { errorIn, refused, type TelnyxApi } from './api.ts';
import { busy_codes, errorOf, textOutcome } from './translate.ts';

export const telnyxSms = (
  api: TelnyxApi,
  settings: { messaging_profile_id: string; callbackUrl(): string },
): SmsPort => ({
  async send({ sms_id, from, to, body, messaging_service_reference }) {
    const response = await api.post('/messages', {
      from,
      to,
      text: body,
      type: 'SMS',
      // A number texts with the profile that it is in; a name needs any profile of the account.
      messaging_profile_id: messaging_service_reference ?? settings.messaging_profile_id,
      webhook_url: `${settings.callbackUrl()}?sms=${sms_id}`,
      use_profile_webhooks: false,
    });
    if (response.outcome !== 'response') return response;
    const { status, json } = response;
    const id = textField(json, 'data', 'id');
    if (status < 300) {
      return id
        ? { outcome: 'accepted', provider_message_id: id }
        : { outcome: 'lost', detail: `status ${status} without a message` };
    }
    const { code, detail } = errorIn(json);
    if (busy_codes.has(code)) return { outcome: 'busy', retry_after_seconds: 5, detail };
    // Codes that start with 40 are about this text; other codes with these statuses are about the account.
    if ([401, 403, 404].includes(status) && !code.startsWith('40')) return misconfigured(status);
    return {
      outcome: 'not_sent',
      error_code: errorOf(code, 'rejected'),
      provider_code: code,
      detail: `${code} ${detail}`,
    };
  },

  // Telnyx has no list of messages. Only the callback reports a text whose response was lost.
  find: async () => ({ outcome: 'cannot_tell' }),

  async outcome(provider_message_id) {
    const response = await api.get(`/messages/${encodeURIComponent(provider_message_id)}`);
    if (response.outcome !== 'response') return response;
    if (response.status === 404) return { outcome: 'absent' };
    if (response.status !== 200) return refused(response.status, response.json);
    const data = field(response.json, 'data');
    const text = textOutcome(textField(data, 'to', 0, 'status') ?? '', textField(data, 'errors', 0, 'code'));
    return { outcome: 'known', text: text ?? { status: 'sent' } };
  },
});
