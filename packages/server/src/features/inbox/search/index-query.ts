// Turns a parsed search and its filters into a query of the index: a tsquery and a range of ids.
import type { SearchNoun, SearchTerm } from '@parley/contract/inbox/search/search-query';
import { firstIdAt } from '../../../platform/ids.ts';
import { filter_words, quoted, wantedPartyWords } from './document.ts';

export type SearchFilters = {
  from?: string | undefined;
  to?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  label?: string | undefined;
  metadata?: Record<string, string> | undefined;
  has?: 'attachment' | undefined;
  direction?: string | undefined;
};

export type IndexQuery = {
  organization_id: string;
  /** The text form of a tsquery; it always names the organization. */
  words: string;
  nouns: readonly SearchNoun[];
  /** Ids from this one on, or null. */
  from_id: string | null;
  /** Ids below this one, or null. */
  below_id: string | null;
};

/** Null when nothing can match. */
export function indexQuery(wanted: {
  organization_id: string;
  terms: readonly SearchTerm[];
  nouns: readonly SearchNoun[];
  filters: SearchFilters;
  thread_ids: readonly string[] | null;
}): IndexQuery | null {
  const { organization_id, terms, filters, thread_ids } = wanted;
  const nouns = wanted.nouns.filter((noun) => isWanted(noun, terms));
  if (nouns.length === 0 || thread_ids?.length === 0) return null;
  const parts = [
    quoted(filter_words.organization(organization_id)),
    anyOf(nouns.map(filter_words.noun)),
    ...(thread_ids ? [anyOf(thread_ids.map(filter_words.thread))] : []),
    ...filterParts(filters),
    ...terms.flatMap((term) => {
      const part = termPart(term);
      return part === null ? [] : [term.is_negated ? `!${part}` : part];
    }),
  ];
  const [from_ms, below_ms] = timeRange(terms, filters);
  if (from_ms !== null && below_ms !== null && from_ms >= below_ms) return null;
  return {
    organization_id,
    words: parts.join(' & '),
    nouns,
    from_id: from_ms === null ? null : firstIdAt(new Date(from_ms)),
    below_id: below_ms === null ? null : firstIdAt(new Date(below_ms)),
  };
}

const isWanted = (noun: SearchNoun, terms: readonly SearchTerm[]): boolean =>
  terms.every((term) => term.kind !== 'in' || term.nouns.includes(noun) !== term.is_negated);

const allOf = (words: readonly string[]) => `(${words.map(quoted).join(' & ')})`;
const anyOf = (words: readonly string[]) => `(${words.map(quoted).join(' | ')})`;

function filterParts({ from, to, label, metadata = {}, has, direction }: SearchFilters): string[] {
  return [
    ...(from === undefined ? [] : [partyPart('from', from)]),
    ...(to === undefined ? [] : [partyPart('to', to)]),
    ...(label === undefined ? [] : [quoted(filter_words.label(label))]),
    ...(has ? [quoted(filter_words.attachment)] : []),
    ...(direction === undefined ? [] : [quoted(filter_words.direction(direction))]),
    ...Object.entries(metadata).map(([key, value]) => quoted(filter_words.metadata(key, value))),
  ];
}

/** A value without letters and digits matches nothing. */
function partyPart(kind: 'from' | 'to', value: string): string {
  const words = wantedPartyWords(value);
  return allOf(words.length > 0 ? words.map(filter_words[kind]) : [filter_words[kind]('')]);
}

/** Null for terms that are not words of the index: they limit nouns or time. */
function termPart(term: SearchTerm): string | null {
  switch (term.kind) {
    case 'words':
      return phrase(term.words, (term.is_prefix ? '*' : '') + (term.field === 'subject' ? 'A' : ''));
    case 'from':
    case 'to':
      return partyPart(term.kind, term.value);
    case 'label':
      return quoted(filter_words.label(term.value));
    case 'has_attachment':
      return quoted(filter_words.attachment);
    case 'direction':
      return quoted(filter_words.direction(term.direction));
    default:
      return null;
  }
}

/** `flags` apply to the last word; a field applies to all. */
function phrase(words: readonly string[], flags: string): string {
  const field = flags.replace('*', '');
  const parts = words.map((word, at) => {
    const word_flags = at === words.length - 1 ? flags : field;
    return word_flags === '' ? quoted(word) : `${quoted(word)}:${word_flags}`;
  });
  return `(${parts.join(' <-> ')})`;
}

function timeRange(
  terms: readonly SearchTerm[],
  { since, until }: SearchFilters,
): [number | null, number | null] {
  const starts = since === undefined ? [] : [Date.parse(since)];
  const ends = until === undefined ? [] : [Date.parse(until)];
  for (const term of terms) {
    if (term.kind !== 'before' && term.kind !== 'after') continue;
    const is_start = (term.kind === 'after') !== term.is_negated;
    (is_start ? starts : ends).push(term.at.getTime());
  }
  return [
    starts.length > 0 ? Math.max(0, ...starts) : null,
    ends.length > 0 ? Math.max(0, Math.min(...ends)) : null,
  ];
}
