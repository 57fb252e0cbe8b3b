// Reads Twilio's callbacks: checks the signature, and translates the form to events.
import { isUtf8 } from 'node:buffer';
import type { CallbackReading, CallbackRequest, CarrierEvent } from '../carrier.ts';
import { uuidOrNull } from '../carrier-http.ts';
import { isSigned, signingKey } from './signature.ts';
import { errorOf, textOutcome } from './translate.ts';
import type { TwilioCalls } from './voice.ts';

/** An empty TwiML document: no reply, nothing to play. */
const empty_document = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

/** `calls` is null where this process does not handle calls. */
export function callbackReader(auth_token: string, calls: TwilioCalls | null) {
  const key = signingKey(auth_token);
  return ({ url, headers, body }: CallbackRequest): CallbackReading => {
    const signature = headers['x-twilio-signature'];
    if (typeof signature !== 'string' || !isUtf8(body)) return { outcome: 'forged', detail: 'no signature' };
    const form = new URLSearchParams(body.toString());
    if (!isSigned(key, url, form, signature)) {
      return { outcome: 'forged', detail: 'the signature does not match the URL and the form' };
    }
    const query = new URL(url).searchParams;
    const verification = uuidOrNull(query.get('verification'));
    const call = form.has('CallSid') && calls?.read(form, uuidOrNull(query.get('call')));
    const events = call
      ? call.events
      : verification
        ? [{ kind: 'registration_changed' as const, reference: verification }]
        : textEvents(form, uuidOrNull(query.get('sms')));
    const response = () => ({ content_type: 'text/xml', body: call ? call.response() : empty_document });
    return { outcome: 'authentic', events, response };
  };
}

function textEvents(form: URLSearchParams, sms_id: string | null): CarrierEvent[] {
  const provider_message_id = form.get('MessageSid') ?? form.get('SmsSid');
  const status = form.get('MessageStatus');
  const [from, to, body] = [form.get('From'), form.get('To'), form.get('Body')];
  const is_withheld = isWithheld(form);
  // A report about a text that we sent names it in the address that we gave; others are about received texts.
  const is_report = status !== null && !(is_withheld && sms_id === null);
  if (provider_message_id && is_report) {
    const text = textOutcome(status, form.get('ErrorCode'));
    return text ? [{ kind: 'text_changed', provider_message_id, sms_id, text }] : [];
  }
  if (provider_message_id && from !== null && to !== null && (body !== null || is_withheld)) {
    const text = { provider_message_id, from, to, body: body ?? '' };
    return [{ kind: 'text_received', ...text, ...(is_withheld ? { withheld: 'code_withheld' } : {}) }];
  }
  const names = [...form.keys()].slice(0, 20).join(', ');
  return [{ kind: 'unknown', detail: `form with ${names}` }];
}

/** Twilio removed a one-time code. A text without content and media has lost it too: phones send no empty text. */
function isWithheld(form: URLSearchParams): boolean {
  if (form.get('ErrorCode')) return errorOf(form.get('ErrorCode'), 'rejected') === 'code_withheld';
  return form.get('Body') === '' && form.get('NumMedia') === '0';
}
