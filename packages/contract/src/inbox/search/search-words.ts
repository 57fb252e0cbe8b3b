// Divides texts into the words that search compares. Stored texts and search queries are divided by the same rules.

export type Word = { word: string; start: number; end: number };

/** Longer words are cut, because codes and links can be of any length. */
const max_word_chars = 64;
const runs = /[\p{L}\p{N}\p{M}_]+/gu;
/** These scripts have no spaces between words: each character is a word, and a query for several finds them side by side. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const unspaced_parts = new RegExp(`${unspaced.source}|(?:(?!${unspaced.source}).)+`, 'gu');
const ascii_word = /^\w*$/;
const no_word_chars = /[^\p{L}\p{N}\p{M}_]+/gu;
/** Accents of Latin, Greek and Cyrillic letters. */
const accents = /[\u0300-\u036f]/g;

function normalized(text: string): string {
  const cut = text.length > max_word_chars ? text.slice(0, max_word_chars) : text;
  if (ascii_word.test(cut)) return cut.toLowerCase();
  const plain = cut
    .toWellFormed()
    .normalize('NFKD')
    .replaceAll(accents, '')
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(no_word_chars, '');
  return plain.slice(0, max_word_chars).toWellFormed();
}

/** The words of a text in their order, with their places in the text. */
export function* wordsIn(text: string): Generator<Word> {
  for (const { 0: run, index } of text.matchAll(runs)) {
    if (ascii_word.test(run) || !unspaced.test(run)) {
      const word = normalized(run);
      if (word !== '') yield { word, start: index, end: index + run.length };
      continue;
    }
    for (const { 0: part, index: within } of run.matchAll(unspaced_parts)) {
      const word = normalized(part);
      if (word !== '') yield { word, start: index + within, end: index + within + part.length };
    }
  }
}

/** The words of a text in their order. */
export const wordsOf = (text: string): string[] => Array.from(wordsIn(text), ({ word }) => word);

/** How many of the last digits of a phone number are enough to find it. */
const number_endings = [10, 7, 4];

/** The digits of a phone number, whole and shortened as people write it. */
export function phoneWords(e164: string): string[] {
  const digits = e164.replaceAll(/\D/g, '');
  return [
    ...new Set([
      digits,
      ...number_endings.map((count) => digits.slice(-count)).filter((each) => each !== ''),
    ]),
  ].filter((each) => each !== '');
}
