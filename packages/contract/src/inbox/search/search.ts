// Search over emails, texts, calls and contacts.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { Contact, example as contact_example } from '../../rules/people/contacts.ts';
import { ConversationRef, pageQuery, queryInteger, Timestamp, Uuid } from '../../schema/fields.ts';
import { rule } from '../../schema/mailbox.ts';
import { authenticities } from '../conversations.ts';
import { Label } from '../labels.ts';
import { parseSearch, type SearchTerm, search_nouns } from './search-query.ts';

/** A query of the search language, parsed. */
export const SearchQuery = z
  .string()
  .trim()
  .min(1)
  .max(limits.search_chars)
  .transform((text, context): SearchTerm[] => {
    const parsed = parseSearch(text);
    if ('terms' in parsed) return parsed.terms;
    const { code, position, message } = parsed.problem;
    context.addIssue({ code: 'custom', ...rule(code, `${message} (at position ${position})`) });
    return z.NEVER;
  })
  .meta({
    description:
      'Words that must all occur. "a phrase", -without, begin*, from: to: subject: in: label: has:attachment is:inbound before: after:',
    json_schema: { type: 'string', minLength: 1, maxLength: limits.search_chars },
  });

/** The beginning and end of a time range, of lists and of search. */
export const timeQuery = {
  since: z.iso.datetime({ offset: true }).optional().describe('Only records created at or after this time.'),
  until: z.iso.datetime({ offset: true }).optional().describe('Only records created before this time.'),
};

/** An address, `@domain`, name or phone number. A plus sign that was not encoded arrives as a space. */
const Party = z
  .string()
  .min(1)
  .max(limits.mailbox_chars)
  .transform((text) => (/^ \d/.test(text) ? `+${text.slice(1)}` : text));

/** The filters that search and the lists of messages and calls share. */
export const searchFilters = {
  from: Party.optional().describe('Only from this address, number or @domain.'),
  to: Party.optional().describe('Only to this address, number or @domain.'),
  ...timeQuery,
  label: Label.optional().describe('Only with this label.'),
  metadata: z
    .record(z.string().min(1).max(100), z.string().max(500))
    .refine((pairs) => Object.keys(pairs).length <= 3, 'At most 3 pairs')
    .optional()
    .describe('Only records whose metadata has these values: metadata[order]=7.'),
};

/** The filters of a list of messages or calls, beside those that it has had before. */
export const listFilters = {
  q: SearchQuery.optional(),
  ...timeQuery,
  label: searchFilters.label,
  metadata: searchFilters.metadata,
  held: z.enum(['true', 'false']).optional().describe('Whether hold is set.'),
};
export const list_filter_errors = ['invalid_search', 'too_many_terms', 'search_off'] as const;

/** The filters of a list of emails. */
export const partyFilters = { from: searchFilters.from, to: searchFilters.to };

const Nouns = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(search_nouns)).min(1))
  .meta({
    description:
      'What to search, separated by commas: email, sms, call, contact, quarantine. Default: all but quarantine.',
    json_schema: { type: 'string' },
  });

export const SearchItem = z
  .strictObject({
    noun: z.enum(['email', 'sms', 'call']),
    id: Uuid,
    conversation_id: Uuid.nullable().describe(
      'The conversation with the person; null for a moment after it begins.',
    ),
    thread_id: Uuid.describe('conversation_id of the record.'),
    at: Timestamp,
    direction: z.enum(['inbound', 'outbound']),
    title: z.string().nullable().describe('The subject of an email.'),
    parties: z.array(z.string()).describe('The other side: at most 20 addresses or numbers.'),
    snippet: z.string().describe('The text around the first match.'),
    highlights: z
      .array(z.array(z.number().int()).length(2))
      .describe('Start and end of each match in the snippet.'),
    matched: z.array(z.enum(['subject', 'text', 'people', 'attachments'])),
    authenticity: z
      .enum(authenticities)
      .describe(
        'own: you sent it; verified: DMARC passed, or the domain has no policy and SPF or DKIM passed for it; unproven: nothing proves the sender; failed: DMARC failed; carrier: texts and calls.',
      ),
  })
  .meta({ id: 'SearchItem' });
export type SearchItem = z.infer<typeof SearchItem>;

export const SearchPage = z
  .strictObject({
    items: z.array(SearchItem),
    contacts: z.array(Contact).describe('At most 5, on the first page only.'),
    next_cursor: z.string().nullable(),
    is_partial: z
      .boolean()
      .describe('The time was up before everything was searched; next_cursor continues there.'),
    searched_until: Timestamp.nullable().describe(
      'Older records were not searched yet; null when all were searched.',
    ),
  })
  .meta({ id: 'SearchPage' });
export type SearchPage = z.infer<typeof SearchPage>;

const example: SearchPage = {
  items: [
    {
      noun: 'email',
      id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e90',
      conversation_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e92',
      thread_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e91',
      at: '2026-06-06T12:00:00.000Z',
      direction: 'inbound',
      title: 'Re: Order',
      parties: ['ana@example.com'],
      snippet: 'The invoice is attached.',
      highlights: [[4, 11]],
      matched: ['text'],
      authenticity: 'verified',
    },
  ],
  contacts: [contact_example],
  next_cursor: null,
  is_partial: false,
  searched_until: null,
};

export const search = defineOperations('search', 'Find emails, texts, calls and contacts.', {
  query: {
    method: 'GET',
    path: '/v1/search',
    conversation: 'read',
    summary: 'Search messages, calls and contacts, newest first',
    description:
      'Searches subjects, new text, transcripts, names, addresses, numbers and file names. Needs the read scope of what it returns.',
    query: z.strictObject({
      q: SearchQuery.optional(),
      in: Nouns.optional(),
      ...searchFilters,
      conversation_id: ConversationRef.optional(),
      has: z.enum(['attachment']).optional(),
      cursor: pageQuery.cursor,
      limit: queryInteger({ min: 1, max: 50, default: 20, description: 'Maximum number of items per page.' }),
    }),
    success: { status: 200, body: SearchPage, example },
    errors: ['invalid_search', 'too_many_terms', 'search_off'],
  },
});
