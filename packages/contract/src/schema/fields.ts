// Field schemas that many records share: ids, timestamps, phone numbers, addresses, pages.
import { z } from 'zod';
import { limits } from '../limits.ts';

/** Any well-formed UUID; the lookup decides whether a record with it exists. */
export const Uuid = z
  .guid('This is no id of this API: expected a UUID such as 019a8c1e-7b10-7d30-9a55-3f2e1d0c9b8a')
  .describe('A UUID.');

/** Every operation that takes the id of a conversation takes that of a thread, which records have, too. */
export const ConversationRef = Uuid.describe('Of a conversation, or conversation_id of a record.');

export const Timestamp = z.iso
  .datetime({ precision: 3 })
  .describe('ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z.');

export const E164 = z
  .string()
  .regex(/^\+[1-9][0-9]{5,14}$/, 'Expected an E.164 phone number such as +14155550123')
  .describe('A phone number in E.164 form, such as +14155550123.');

/** A number as people write it, with its country code; normalized to E.164. */
export const PhoneNumber = z
  .string()
  .max(40)
  .regex(/^(?!.*\(0\))[+\d\s().-]+$/, 'Expected a phone number with its country code, such as +14155550123')
  .transform((text) => text.replaceAll(/[\s().-]/g, ''))
  .pipe(E164)
  .describe('A phone number with its country code, such as +1 415 555 0123; stored as E.164.');

/** Accepts a space as "+": an unencoded plus sign in a query string arrives as a space. */
export const QueryPhone = z
  .string()
  .max(40)
  .transform((text) => (text.startsWith(' ') ? `+${text.slice(1)}` : text))
  .pipe(PhoneNumber)
  .meta({
    description: 'A phone number with its country code; encode + as %2B.',
    json_schema: { type: 'string' },
  });

/** Offsets such as +01:00 are refused: they have no daylight saving time. */
const isTimeZone = (text: string): boolean => {
  try {
    return /^[A-Za-z]/.test(text) && Boolean(new Intl.DateTimeFormat('en', { timeZone: text }));
  } catch {
    return false;
  }
};

export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'Expected the IANA name of a time zone, such as America/New_York')
  .describe('The IANA name of a time zone, such as America/New_York.');

export const EmailAddress = z
  .email('Expected one email address such as ana@example.com')
  .max(limits.email_address_chars)
  .describe('One email address, without a display name.');

/**
 * The caller confirms the lawful basis to contact the recipient. Any value but true is rejected with its own error
 * code.
 */
export const Consent = z
  .unknown()
  .refine((value) => value === true, {
    message: 'Expected true: the recipient has agreed to be contacted',
    params: { error: 'consent_required' },
  })
  .meta({
    description: 'You confirm that you may lawfully contact the recipient. Must be true.',
    json_schema: { type: 'boolean', const: true },
  });

/** A UTF-16 code unit takes at most three bytes in UTF-8, so short texts need no encoding to be measured. */
export const exceedsBytes = (text: string, bytes: number) =>
  text.length * 3 > bytes && (text.length > bytes || new TextEncoder().encode(text).length > bytes);

/** Free JSON data that the caller stores on a record. */
export const Metadata = z
  .record(z.string().max(100), z.unknown())
  .refine(
    (value) => !exceedsBytes(JSON.stringify(value), limits.metadata_bytes),
    `Metadata may be ${limits.metadata_bytes} bytes of JSON at most`,
  )
  .describe('Your own data, stored with the record and included in its events that have a metadata field.');

/** An integer in a query string. Only digits are accepted, so "1e2" and "" are rejected. */
export function queryInteger(range: { min: number; max: number; default: number; description: string }) {
  const { description, min, max } = range;
  return z
    .string()
    .regex(/^-?[0-9]{1,10}$/, 'Expected a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .optional()
    .transform((value) => value ?? range.default)
    .meta({
      description,
      json_schema: { type: 'integer', minimum: min, maximum: max, default: range.default },
    });
}

/** The query parameters of every request that waits for a message. */
export const waitQuery = (what: string) => ({
  since: z.iso
    .datetime({ offset: true })
    .optional()
    .describe(`Only ${what} received at or after this time. Default: the time of the request.`),
  timeout_seconds: queryInteger({
    min: 1,
    max: limits.wait_max_seconds,
    default: limits.wait_default_seconds,
    description: 'Maximum time to wait.',
  }),
});

const cursor_form = /^[A-Za-z0-9_-]{1,512}$/;

/** The query parameters of every list. */
export const pageQuery = {
  cursor: z
    .string()
    // Every invalid cursor gets the same error, also one that is too long or has forbidden characters.
    .refine((text) => cursor_form.test(text), {
      message: 'Not a cursor of this list',
      params: { error: 'invalid_cursor' },
    })
    .meta({ minLength: 1, maxLength: 512 })
    .optional()
    .describe('next_cursor of the previous page; leave out for the newest page.'),
  limit: queryInteger({
    min: 1,
    max: limits.page_max,
    default: limits.page_default,
    description: 'Maximum number of items per page.',
  }),
};

/** A page of a list, newest first. */
export const pageOf = <Item extends z.ZodType>(item: Item, id: string) =>
  z
    .strictObject({
      items: z.array(item),
      next_cursor: z.string().nullable().describe('null on the last page.'),
    })
    .meta({ id });
