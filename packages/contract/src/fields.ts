// The small shapes that many records share: ids, timestamps, phone numbers, addresses, pages.
import { z } from 'zod';
import { limits } from './limits.ts';

/** Any well-formed UUID: whether it names something is for the look-up to say. */
export const Uuid = z.guid().describe('A UUID.');

export const Timestamp = z.iso
  .datetime({ precision: 3 })
  .describe('ISO 8601 in UTC with milliseconds, such as 2026-06-06T12:00:00.000Z.');

export const E164 = z
  .string()
  .regex(/^\+[1-9][0-9]{5,14}$/, 'Expected an E.164 phone number such as +14155550123')
  .describe('A phone number in E.164 form, such as +14155550123.');

/** A number as people write it, with its country code; read as E.164. */
export const PhoneNumber = z
  .string()
  .max(40)
  .regex(/^(?!.*\(0\))[+\d\s().-]+$/, 'Expected a phone number with its country code, such as +14155550123')
  .transform((text) => text.replaceAll(/[\s().-]/g, ''))
  .pipe(E164)
  .describe('A phone number with its country code, such as +1 415 555 0123; kept as E.164.');

/** A plus sign in a query string arrives as a space unless it is encoded; both are understood. */
export const QueryPhone = z
  .string()
  .max(40)
  .transform((text) => (text.startsWith(' ') ? `+${text.slice(1)}` : text))
  .pipe(PhoneNumber)
  .meta({
    description: 'A phone number with its country code; write + as %2B.',
    json_schema: { type: 'string' },
  });

export const EmailAddress = z
  .email('Expected one email address such as ana@example.com')
  .max(limits.email_address_chars)
  .describe('One email address, without a display name.');

/** The caller vouches for the lawful basis to contact the recipient; anything but true is refused with its own code. */
export const Consent = z
  .unknown()
  .refine((value) => value === true, {
    message: 'Expected true: the recipient has agreed to be contacted',
    params: { error: 'consent_required' },
  })
  .meta({
    description: 'You warrant that you may lawfully contact the recipient. Must be true.',
    json_schema: { type: 'boolean', const: true },
  });

/** A letter takes three bytes at most: what is short enough even so need not be counted. */
export const exceedsBytes = (text: string, bytes: number) =>
  text.length * 3 > bytes && (text.length > bytes || new TextEncoder().encode(text).length > bytes);

/** Anything the caller wants to find again on the record. */
export const Metadata = z
  .record(z.string().max(100), z.unknown())
  .refine(
    (value) => !exceedsBytes(JSON.stringify(value), limits.metadata_bytes),
    `Metadata may be ${limits.metadata_bytes} bytes of JSON at most`,
  )
  .describe('Your own data, kept with the record and told in its events where they carry it.');

/** An integer in a query string: digits only, so that "1e2" or "" is refused rather than guessed. */
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
    .describe(`${what} that came in at or after this moment count; the moment of the request when left out.`),
  timeout_seconds: queryInteger({
    min: 1,
    max: limits.wait_max_seconds,
    default: limits.wait_default_seconds,
    description: 'How long to wait at most.',
  }),
});

const cursor_form = /^[A-Za-z0-9_-]{1,512}$/;

/** The query parameters of every list. */
export const pageQuery = {
  cursor: z
    .string()
    // Whatever is wrong with a cursor has one answer, also when it is too long or holds forbidden characters.
    .refine((text) => cursor_form.test(text), {
      message: 'Not a cursor of this list',
      params: { error: 'invalid_cursor' },
    })
    .meta({ minLength: 1, maxLength: 512 })
    .optional()
    .describe('next_cursor of the page before; leave out for the newest page.'),
  limit: queryInteger({
    min: 1,
    max: limits.page_max,
    default: limits.page_default,
    description: 'How many items a page holds at most.',
  }),
};

/** A page of a list, newest first. */
export const pageOf = <Item extends z.ZodType>(item: Item, id: string) =>
  z
    .strictObject({
      items: z.array(item),
      next_cursor: z
        .string()
        .nullable()
        .describe('Pass it as cursor for the next page; null on the last one.'),
    })
    .meta({ id });
