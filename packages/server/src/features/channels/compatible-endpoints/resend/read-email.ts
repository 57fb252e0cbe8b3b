// Reads an email in the form of Resend, and returns the request in our own form.
import type { EmailCreate } from '@parley/contract/channels/emails/email-requests';
import { label_form } from '@parley/contract/inbox/labels';
import { limits } from '@parley/contract/limits';
import { z } from 'zod';
import type { MoreOfRequest } from '../../emails/index.ts';

/** What a header may not contain; see `EmailCreate`. */
const line = z
  .string()
  .max(limits.email_header_chars)
  .refine(
    (text) => !/(?!\t)\p{Cc}/u.test(text),
    'Line breaks and other control characters are not allowed here',
  );

const unsupported = (text: string) => z.undefined({ error: text }).optional();
const OneOrMany = z.union([z.string(), z.array(z.string()).max(limits.email_recipients)]);

const list = (value: string | string[] | null | undefined): string[] =>
  value == null ? [] : Array.isArray(value) ? value : [value];

export const ResendAttachment = z.strictObject({
  filename: z.string().max(1000).nullish(),
  content: z.string({ error: 'Expected the content in base64' }),
  content_type: z.string().max(200).nullish(),
  content_id: z
    .string()
    .regex(/^[\x21-\x3b\x3d\x3f-\x7e]{1,128}$/, 'Expected up to 128 printable characters without spaces')
    .nullish(),
  path: unsupported('Files behind an address are not fetched: send the content in base64'),
});
export type ResendAttachment = z.output<typeof ResendAttachment>;

export const ResendEmail = z.strictObject({
  from: z.string(),
  to: OneOrMany,
  cc: OneOrMany.nullish(),
  bcc: OneOrMany.nullish(),
  reply_to: OneOrMany.refine((value) => list(value).length <= 1, {
    error: 'Expected one address: an email has one Reply-To here',
  }).nullish(),
  subject: z.string(),
  html: z.string().nullish(),
  text: z.string().nullish(),
  headers: z.record(z.string(), line).nullish(),
  attachments: z.array(ResendAttachment).max(limits.email_attachments).nullish(),
  tags: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[\w-]{1,256}$/, 'Expected letters, digits, _ and -'),
        value: z.string().max(256),
      }),
    )
    .max(limits.labels)
    .nullish(),
  scheduled_at: z
    .string()
    .refine((text) => !Number.isNaN(Date.parse(text)) && /^\d{4}-\d\d-\d\dT/.test(text), {
      error:
        'Expected a time in the form of ISO 8601, such as 2026-06-06T12:00:00Z; phrases such as "in 1 min" are not read',
    })
    .nullish(),
  template: unsupported('There are no stored templates: send html or text'),
  topic_id: unsupported('There are no topics'),
  react: unsupported('Render the element to HTML first'),
});
export type ResendEmail = z.output<typeof ResendEmail>;

/** The body of POST /v1/emails, before it is validated. */
export function emailBody(email: ResendEmail): { [field in keyof EmailCreate]?: unknown } {
  const reply_to = list(email.reply_to)[0];
  const { headers, in_reply_to } = splitHeaders(email);
  return {
    recipient_consent: true,
    from: email.from,
    to: list(email.to),
    cc: list(email.cc),
    bcc: list(email.bcc),
    subject: email.subject,
    ...(reply_to === undefined ? {} : { reply_to }),
    ...(email.html == null ? {} : { body_html: email.html }),
    ...(email.text == null ? {} : { body_text: email.text }),
    ...(email.scheduled_at == null ? {} : { scheduled_at: new Date(email.scheduled_at).toISOString() }),
    ...(in_reply_to === undefined ? {} : { in_reply_to }),
    headers,
    metadata: Object.fromEntries((email.tags ?? []).map(({ name, value }) => [name, value])),
    // Programs that move here expect that their links stay as they are.
    track_opens: false,
    track_clicks: false,
  };
}

/** What the body of POST /v1/emails has no field for. */
export function moreOf(email: ResendEmail): MoreOfRequest {
  const labels = (email.tags ?? [])
    .map(({ name, value }) => `${name}:${value}`.toLowerCase())
    .filter((label) => label_form.test(label));
  return { labels: [...new Set(labels)], list_headers: splitHeaders(email).list_headers };
}

/** Header fields that have a field of their own here, or that only programs with their own lists set. */
function splitHeaders({ headers }: ResendEmail) {
  const plain: [string, string][] = [];
  const of_lists: [string, string][] = [];
  let in_reply_to: string | undefined;
  for (const [name, value] of Object.entries(headers ?? {})) {
    const key = name.toLowerCase();
    if (key === 'in-reply-to') in_reply_to = value;
    else if (/^list-unsubscribe(-post)?$/.test(key)) of_lists.push([name, value]);
    // The service builds References from the conversation.
    else if (key !== 'references') plain.push([name, value]);
  }
  return { headers: Object.fromEntries(plain), list_headers: Object.fromEntries(of_lists), in_reply_to };
}

/** Names a field as the request named it. */
export const theirPath = (path: string): string =>
  path
    .replace(/^body\.?/, '')
    .replace(/^emails\[(\d+)\]\.?/, '[$1].')
    .replace(/\bbody_(html|text)\b/, '$1')
    .replace(/\.$/, '') || 'body';
