// What an email would send, as a person is shown it for approval. An approval is valid for exactly this.

import type { AdmissionRequest, Payload } from '../../../rules/admission/index.ts';
import type { StoredAttachment } from '../../email-attachments/index.ts';
import { recipientsOf } from '../send/hand-over.ts';
import type { EmailRow } from '../store.ts';

export const payloadOf = (email: EmailRow, attachments: readonly StoredAttachment[]): Payload => ({
  from: email.from_address,
  to: email.to_addresses,
  cc: email.cc_addresses,
  bcc: email.bcc_addresses,
  subject: email.subject,
  body_text: email.body_text,
  body_html: email.body_html,
  attachments: attachments.map(({ filename, size_bytes, sha256 }) => ({ filename, size_bytes, sha256 })),
  more: {
    ...email.composition,
    from_name: email.from_name,
    reply_to: email.reply_to,
    in_reply_to: email.in_reply_to,
  },
  scheduled_at: email.scheduled_at,
});

/** What the request at create and the one at the hand-over have in common. */
export const emailRequest = (
  email: EmailRow,
  attachments: readonly StoredAttachment[],
): Pick<
  AdmissionRequest,
  | 'organization_id'
  | 'channel'
  | 'origin'
  | 'recipients'
  | 'conversation_id'
  | 'consent'
  | 'record'
  | 'payload'
> => ({
  organization_id: email.organization_id,
  channel: 'emails',
  origin: 'api',
  recipients: recipientsOf(email),
  conversation_id: email.conversation_id,
  consent: 'warranted',
  record: { noun: 'email', id: email.id },
  payload: () => payloadOf(email, attachments),
});
