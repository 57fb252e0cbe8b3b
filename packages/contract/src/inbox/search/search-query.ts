// The query language of search: words, phrases, and operators such as from: and has:attachment. The API, the console and the
// CLI use this parser.

import { limits } from '../../limits.ts';
import { label_form } from '../labels.ts';
import { wordsOf } from './search-words.ts';

export const search_nouns = ['email', 'sms', 'call', 'contact', 'quarantine'] as const;
export type SearchNoun = (typeof search_nouns)[number];

export type SearchTerm = { is_negated: boolean } & (
  | {
      kind: 'words';
      /** Several words must be side by side. */
      words: string[];
      /** The last word may continue. */
      is_prefix: boolean;
      field: 'any' | 'subject';
    }
  | { kind: 'from' | 'to' | 'label'; value: string }
  | { kind: 'in'; nouns: SearchNoun[] }
  | { kind: 'has_attachment' }
  | { kind: 'direction'; direction: 'inbound' | 'outbound' }
  | { kind: 'before' | 'after'; at: Date }
);

export type SearchProblem = {
  code: 'invalid_search' | 'too_many_terms';
  /** Where the term starts in the query, counted from 0. */
  position: number;
  message: string;
};

export type ParsedSearch = { terms: SearchTerm[] } | { problem: SearchProblem };

class Unreadable extends Error {}
const refuse = (message: string): never => {
  throw new Unreadable(message);
};

/** A term: an optional minus, an optional operator, and a quoted or plain text. */
const term_form = /(-?)(?:([a-z]+):)?(?:"([^"]*)("?)|(\S*))/giy;
const min_prefix_chars = 2;

export function parseSearch(query: string): ParsedSearch {
  const terms: SearchTerm[] = [];
  let position = 0;
  for (;;) {
    position += /^\s*/.exec(query.slice(position))![0].length;
    if (position >= query.length) return { terms };
    if (terms.length === limits.search_terms) {
      const message = `More than ${limits.search_terms} terms`;
      return { problem: { code: 'too_many_terms', position, message } };
    }
    try {
      const { term, end } = readTerm(query, position);
      terms.push(term);
      position = end;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return { problem: { code: 'invalid_search', position, message: error.message } };
    }
  }
}

type Text = { text: string; is_quoted: boolean };

function readTerm(query: string, position: number): { term: SearchTerm; end: number } {
  term_form.lastIndex = position;
  const [whole, minus, operator, quoted, closing, plain] = term_form.exec(query)!;
  const end = position + whole!.length;
  const is_negated = minus === '-';
  if (quoted !== undefined && closing === '') refuse('The quotation mark has no end');
  const text: Text = { text: quoted ?? plain!, is_quoted: quoted !== undefined };
  const read = operator && readers[operator.toLowerCase() as keyof typeof readers];
  if (read) return { term: { is_negated, ...read(text) } as SearchTerm, end };
  // A colon behind another word belongs to the text, such as in 12:30 or re:order.
  const whole_text = operator ? { ...text, text: `${operator}:${text.text}` } : text;
  return { term: { is_negated, ...readWords(whole_text, 'any') } as SearchTerm, end };
}

function readWords({ text, is_quoted }: Text, field: 'any' | 'subject') {
  const is_prefix = !is_quoted && text.endsWith('*');
  const words = wordsOf(text);
  if (words.length === 0) refuse('Expected a word with letters or digits');
  if (is_prefix && words.at(-1)!.length < min_prefix_chars)
    refuse(`Expected at least ${min_prefix_chars} characters before *`);
  return { kind: 'words', words, is_prefix, field };
}

const readers = {
  from: ({ text }: Text) => ({ kind: 'from', value: readParty(text) }),
  to: ({ text }: Text) => ({ kind: 'to', value: readParty(text) }),
  subject: (text: Text) => readWords(text, 'subject'),
  label: ({ text }: Text) => ({
    kind: 'label',
    value: label_form.test(text) ? text : refuse('Expected a label'),
  }),
  in: ({ text }: Text) => ({ kind: 'in', nouns: text.split(',').map(readNoun) }),
  has: ({ text }: Text) =>
    text.toLowerCase() === 'attachment' ? { kind: 'has_attachment' } : refuse('Expected has:attachment'),
  is: ({ text }: Text) => {
    const direction = text.toLowerCase();
    if (direction !== 'inbound' && direction !== 'outbound') refuse('Expected is:inbound or is:outbound');
    return { kind: 'direction', direction };
  },
  before: ({ text }: Text) => ({ kind: 'before', at: readTime(text) }),
  after: ({ text }: Text) => ({ kind: 'after', at: readTime(text) }),
};

const readParty = (text: string): string =>
  wordsOf(text).length === 0 ? refuse('Expected an address, a domain, a name or a phone number') : text;

function readNoun(text: string): SearchNoun {
  const name = text.toLowerCase();
  return search_nouns.find((noun) => noun === name) ?? refuse(`Expected one of ${search_nouns.join(', ')}`);
}

/** A day (in UTC) or a time. */
function readTime(text: string): Date {
  const is_time = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/i.test(text);
  const has_zone = text.length <= 10 || /(Z|[+-]\d{2}:\d{2})$/i.test(text);
  const at = new Date(is_time ? (has_zone ? text : `${text}Z`) : Number.NaN);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < 1970)
    refuse('Expected a day such as 2026-06-06, or a time');
  return at;
}
