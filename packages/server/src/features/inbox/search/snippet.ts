// Finds where a record matches a search: the fields, and the text around the first match with the places of all matches in it.
import type { SearchItem } from '@parley/contract/inbox/search/search';
import type { SearchTerm } from '@parley/contract/inbox/search/search-query';
import { wordsIn } from '@parley/contract/inbox/search/search-words';

export type Field = SearchItem['matched'][number];

const snippet_chars = 160;
const chars_before_match = 60;
const max_highlights = 20;

export type Matcher = (word: string) => boolean;

/** Whether a word of a text is one that the search asked for. */
export function wordMatcher(terms: readonly SearchTerm[]): Matcher {
  const exact = new Set<string>();
  const prefixes: string[] = [];
  for (const term of terms) {
    if (term.kind !== 'words' || term.is_negated) continue;
    for (const [at, word] of term.words.entries()) {
      if (term.is_prefix && at === term.words.length - 1) prefixes.push(word);
      else exact.add(word);
    }
  }
  return (word) => exact.has(word) || prefixes.some((prefix) => word.startsWith(prefix));
}

const hasMatch = (text: string, matches: Matcher): boolean => {
  for (const { word } of wordsIn(text)) if (matches(word)) return true;
  return false;
};

export function matchedFields(
  texts: Readonly<Partial<Record<Field, readonly string[]>>>,
  matches: Matcher,
): Field[] {
  return (Object.keys(texts) as Field[]).filter((field) =>
    texts[field]!.some((text) => hasMatch(text, matches)),
  );
}

/** Without a match, the beginning of the text. */
export function snippetOf(
  text: string,
  matches: Matcher,
): { snippet: string; highlights: [number, number][] } {
  let first = 0;
  for (const { word, start } of wordsIn(text)) {
    if (!matches(word)) continue;
    first = start;
    break;
  }
  const start = first <= chars_before_match ? 0 : wordStart(text, first - chars_before_match);
  const cut = text
    .slice(start, start + snippet_chars)
    .replaceAll(/\s/g, ' ')
    .toWellFormed();
  const highlights: [number, number][] = [];
  for (const { word, start: from, end } of wordsIn(cut))
    if (matches(word) && highlights.length < max_highlights) highlights.push([from, end]);
  return { snippet: cut, highlights };
}

/** The start of the next word, so that a snippet does not begin within one. */
function wordStart(text: string, from: number): number {
  const space = text.slice(from, from + chars_before_match).search(/\s/);
  return space === -1 ? from : from + space + 1;
}
