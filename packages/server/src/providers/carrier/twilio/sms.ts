// SMS over Twilio: sending, and looking up what became of a text.
import type { SmsPort } from '../carrier.ts';
import { listField, misconfigured, textField } from '../carrier-http.ts';
import { errorIn, refused, type TwilioApi } from './api.ts';
import { errorOf, textOutcome } from './translate.ts';

const trial_prefix = 'Sent from your Twilio trial account - ';
/** Twilio's clock and ours may differ. */
const clock_skew_ms = 60_000;

export const twilioSms = (api: TwilioApi, callbackUrl: () => string): SmsPort => ({
  async send({ sms_id, from, to, body }) {
    const response = await api.post('/Messages.json', {
      To: to,
      From: from,
      Body: body,
      StatusCallback: `${callbackUrl()}?sms=${sms_id}`,
    });
    if (response.outcome !== 'response') return response;
    const { status, json } = response;
    const sid = textField(json, 'sid');
    if (status === 201 && sid) return { outcome: 'accepted', provider_message_id: sid };
    if (status < 300) return { outcome: 'lost', detail: `status ${status} without a message` };
    if (status !== 400) return misconfigured(status);
    const { code, detail } = errorIn(json);
    return {
      outcome: 'not_sent',
      error_code: errorOf(code, 'rejected'),
      provider_code: code,
      detail: `${code} ${detail}`,
    };
  },

  // Twilio's messages have no field for our id, so a newer message with the same text counts as ours.
  async find({ from, to, body }, since) {
    const response = await api.get('/Messages.json', { To: to, From: from, PageSize: '50' });
    if (response.outcome !== 'response') return response;
    if (response.status !== 200) return refused(response.status, response.json);
    const candidates = listField(response.json, 'messages')
      .map((message) => ({
        provider_message_id: textField(message, 'sid') ?? '',
        created_at: new Date(textField(message, 'date_created') ?? 0),
        direction: textField(message, 'direction'),
        body: textField(message, 'body'),
      }))
      .filter(
        (message) =>
          message.direction === 'outbound-api' &&
          (message.body === body || message.body === trial_prefix + body) &&
          message.created_at.getTime() >= since.getTime() - clock_skew_ms,
      )
      .reverse();
    return candidates.length > 0 ? { outcome: 'found', candidates } : { outcome: 'absent' };
  },

  async outcome(provider_message_id) {
    const response = await api.get(`/Messages/${encodeURIComponent(provider_message_id)}.json`);
    if (response.outcome !== 'response') return response;
    if (response.status === 404) return { outcome: 'absent' };
    if (response.status !== 200) return refused(response.status, response.json);
    const text = textOutcome(
      textField(response.json, 'status') ?? '',
      textField(response.json, 'error_code'),
    );
    return { outcome: 'known', text: text ?? { status: 'sent' } };
  },
});
