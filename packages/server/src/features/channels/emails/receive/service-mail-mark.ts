// Recognizes mail of this service when it comes back to this server: forwarded by another mailbox, returned in a bounce, or
// quoted in a reply. It has a code or a link for one person, so it is never stored where programs read.
import { headerEnd } from '../../../../protocols/mail/mime/structure.ts';

/** Mail providers replace the Message-ID, but keep other fields. */
export const service_mail_field = 'Parley-Service-Mail';

const mark = Buffer.from(`${service_mail_field}: `);
const id_form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const id_chars = 36;
/** A mail has one mark; a few bounces in each other have some. */
const max_marks = 20;
const max_message_ids = 100;

/** The ids of the mail that this message is, contains or answers. They may be invented. */
export function serviceMailIds(raw: Buffer): string[] {
  const ids = new Set<string>();
  let at = raw.indexOf(mark);
  for (let count = 0; at !== -1 && count < max_marks; count++) {
    addId(ids, raw.toString('latin1', at + mark.length, at + mark.length + id_chars));
    at = raw.indexOf(mark, at + mark.length);
  }
  const header = raw.toString('latin1', 0, headerEnd(raw));
  for (const [, name, ids_of_field] of header.matchAll(
    /^(message-id|in-reply-to|references|parley-service-mail):((?:[^\r\n]|\r?\n[ \t])*)/gim,
  )) {
    if (name!.toLowerCase() === service_mail_field.toLowerCase()) addId(ids, ids_of_field!.trim());
    for (const message_id of ids_of_field!.split('<').slice(1, max_message_ids)) addId(ids, message_id);
  }
  return [...ids];
}

function addId(ids: Set<string>, text: string): void {
  const id = id_form.exec(text)?.[0];
  if (id) ids.add(id.toLowerCase());
}
