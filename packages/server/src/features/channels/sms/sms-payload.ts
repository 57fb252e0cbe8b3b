// What admission needs to know of a text beyond its recipient: its price, its identity and what the recipient gets.
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { AdmissionRequest, Payload } from '../../rules/admission/index.ts';

type Text = Pick<Sms, 'id' | 'from' | 'to' | 'body' | 'scheduled_at' | 'segments'>;

export const payloadOf = ({ from, to, body, scheduled_at }: Text): Payload => ({
  from,
  to: [to],
  cc: [],
  bcc: [],
  subject: null,
  body_text: body,
  body_html: null,
  attachments: [],
  more: {},
  scheduled_at,
});

export const chargeAndPayload = (text: Text): Pick<AdmissionRequest, 'charge' | 'record' | 'payload'> => ({
  charge: { item: 'sms_segment', quantity: text.segments, reference: text.id },
  record: { noun: 'sms', id: text.id },
  payload: () => payloadOf(text),
});
