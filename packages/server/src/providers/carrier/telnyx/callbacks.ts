// Reads Telnyx's webhooks: checks the signature, and translates the body to events.
import { isUtf8 } from 'node:buffer';
import type { CallbackReading, CallbackRequest, CarrierEvent } from '../carrier.ts';
import { field, parseJson, textField, uuidOrNull } from '../carrier-http.ts';
import { isSigned, publicKey } from './signature.ts';
import { textOutcome } from './translate.ts';
import type { TelnyxCalls } from './voice.ts';

/** `calls` is null where this process does not handle calls. */
export function callbackReader(
  settings: { public_key: string; now_ms(): number },
  calls: TelnyxCalls | null,
) {
  const key = publicKey(settings.public_key);
  return ({ url, headers, body }: CallbackRequest): CallbackReading => {
    const signature = headers['telnyx-signature-ed25519'];
    const timestamp = headers['telnyx-timestamp'];
    if (typeof signature !== 'string' || typeof timestamp !== 'string' || !isUtf8(body)) {
      return { outcome: 'forged', detail: 'no signature' };
    }
    if (!isSigned(key, { signature, timestamp, body }, settings.now_ms())) {
      return { outcome: 'forged', detail: 'the signature does not match the body, or is too old' };
    }
    const { searchParams } = new URL(url);
    const ids = {
      sms_id: uuidOrNull(searchParams.get('sms')),
      registration: uuidOrNull(searchParams.get('registration')),
    };
    return {
      outcome: 'authentic',
      events: eventsIn(body.toString(), ids, calls),
      response: () => ({ content_type: 'application/json', body: '{}' }),
    };
  };
}

/** Our ids in the query of the URL. The signature does not cover them. */
type Ids = { sms_id: string | null; registration: string | null };

function eventsIn(text: string, { sms_id, registration }: Ids, calls: TelnyxCalls | null): CarrierEvent[] {
  const json = parseJson(text);
  if (json === null) return [{ kind: 'unknown', detail: 'the body is not JSON' }];
  const type = textField(json, 'data', 'event_type') ?? '';
  const payload = field(json, 'data', 'payload') ?? json;
  return (
    calls?.read(type, payload) ??
    textEvents(type, payload, sms_id) ??
    registrationEvents(type, payload, registration) ?? [{ kind: 'unknown', detail: type.slice(0, 100) }]
  );
}

/** Only hints: what the webhook says is not used, the state is read at Telnyx. Null when it is about something else. */
function registrationEvents(type: string, payload: unknown, ours: string | null): CarrierEvent[] | null {
  const named = type.startsWith('number_order')
    ? [textField(payload, 'customer_reference')]
    : type.startsWith('10dlc.') || type === ''
      ? ['campaignId', 'telnyxCampaignId', 'brandId'].map((name) => textField(payload, name))
      : [];
  const reference = ours ?? named.find((each) => each !== null && each !== '');
  return reference ? [{ kind: 'registration_changed', reference: reference.slice(0, 100) }] : null;
}

/** Null when the webhook is not about a text. */
function textEvents(type: string, payload: unknown, sms_id: string | null): CarrierEvent[] | null {
  const id = textField(payload, 'id');
  if (!id) return null;
  if (type === 'message.received') {
    const from = textField(payload, 'from', 'phone_number');
    const to = textField(payload, 'to', 0, 'phone_number');
    if (!from || !to) return null;
    const body = textField(payload, 'text') ?? '';
    return [{ kind: 'text_received', provider_message_id: id, from, to, body }];
  }
  if (type !== 'message.sent' && type !== 'message.finalized') return null;
  const status = textField(payload, 'to', 0, 'status') ?? '';
  const outcome = textOutcome(status, textField(payload, 'errors', 0, 'code'));
  return outcome ? [{ kind: 'text_changed', provider_message_id: id, sms_id, text: outcome }] : [];
}
