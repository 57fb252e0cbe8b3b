// The email record as the API returns it.
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { StoredAttachment } from '../../email-attachments/index.ts';
import type { EmailRow } from '../store.ts';

export type PresentEmail = (
  row: EmailRow,
  attachments: StoredAttachment[],
  /** Of a received email. */
  extracted_text?: string | null,
) => Email;

export const presentEmail =
  (baseUrl: () => string): PresentEmail =>
  (row, attachments, extracted_text = null) => {
    const url = `${baseUrl()}/v1/emails/${row.id}`;
    return {
      ...row,
      // Internal columns. `undefined` leaves them out of the JSON, and is faster than copying all other columns by name.
      provider: undefined,
      raw_key: undefined,
      composition: undefined,
      thread_key: undefined,
      send_deadline: undefined,
      idempotency_operation: undefined,
      idempotency_key: undefined,
      admission: undefined,
      terms: undefined,
      released_at: undefined,
      sender_proof: undefined,
      extracted_text,
      raw_url: row.raw_key || row.composition ? `${url}/raw` : null,
      attachments: attachments.map(({ id, filename, content_type, size_bytes }) => ({
        id,
        filename,
        content_type,
        size_bytes,
        url: `${url}/attachments/${id}`,
      })),
    } as Email;
  };
