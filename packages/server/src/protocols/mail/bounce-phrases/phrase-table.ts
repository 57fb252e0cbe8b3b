// Searches a server's text for phrases of a table. Both are normalized first, and a search takes linear time.

/** A refusal is much shorter; the rest of a longer text is a copy of the original message. */
const max_chars = 20_000;
/** The maximum distance between two parts of a phrase with a gap (`*`). */
const gap_chars = 60;

const spelling_variants: [RegExp, string][] = [
  [/ (does|is|was|could|do|has|did|are|were|would)( ?nt| n t) /g, ' $1 not '],
  [/ (cannot|cant|can t) /g, ' can not '],
  [/ e mails? /g, ' email '],
  [/ emails /g, ' email '],
  [/ mail box /g, ' mailbox '],
];

/**
 * Lower case without accents, punctuation and status codes (some servers repeat the code on every line). An email address
 * becomes "@", and a URL becomes its host and the words of its host ("spamhaus" for www.spamhaus.org). The result begins and ends with a space, so phrases can be matched at word borders.
 */
export function normalizeText(text: string): string {
  let normalized = text
    .slice(0, max_chars)
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    // French and Italian join short words to the next one by an apostrophe (l'adresse); English negations are handled below.
    .replaceAll(/(?<!\p{L})(l|d|j|m|t|s|n|c|qu|un|all|dell|nell|sull)['’´](?=\p{L})/gu, '$1 ')
    .replaceAll(/['’`´]/g, '')
    .replaceAll(
      /\b(?:https?:\/\/|(?=www\.))([^\s/"<>?]{1,255})[^\s"<>]{0,2000}/g,
      (_, host: string) => ` ${host} ${host.replaceAll('.', ' ')} `,
    )
    // "ana@example.com...User unknown": the dots are not part of the address.
    .replaceAll(/\.{2,}/g, ' ')
    .replaceAll(/[^\s<>"(),;:[\]=]{1,64}@[^\s<>"(),;:[\]@]{1,255}/g, ' @ ')
    .replaceAll(/(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/g, ' ')
    .replaceAll(/(?<![\d.])[245]\d\d(?![\d.])/g, ' ')
    .replaceAll(/[^\p{L}\p{N}\p{M}@.]+/gu, ' ')
    .replaceAll(/\.(?![\p{L}\p{N}])/gu, ' ')
    .replaceAll(/ \.+/g, ' ');
  normalized = ` ${normalized} `.replaceAll(/ {2,}/g, ' ');
  for (const [variant, spelling] of spelling_variants) normalized = normalized.replaceAll(variant, spelling);
  return normalized;
}

/** One part of a phrase, including the spaces that mark word borders. `is_near`: at most one word may precede it in the gap. */
type Part = { text: string; is_near: boolean };
/** Read at its first use: most processes never read a bounce. */
export type PhraseTable = () => Part[][];

/**
 * Reads a table with one phrase per line. `*` matches a few words, `+` matches one word, and `~` at the end of a part matches
 * the rest of its last word. Lines that begin with `#` are comments about the source of the phrases below.
 */
export function phraseTable(...texts: string[]): PhraseTable {
  let phrases: Part[][] | null = null;
  return () => {
    phrases ??= texts.flatMap(phrasesOf);
    return phrases;
  };
}

const phrasesOf = (text: string): Part[][] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) =>
      line.split(/(?=[*+])/).map((part) => ({
        text: partOf(part.replace(/^[*+]/, '')),
        is_near: part.startsWith('+'),
      })),
    );

/** Chinese, Japanese and Thai have no spaces between words, and Korean adds endings to words: no word borders are required. */
const without_spaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;

function partOf(text: string): string {
  const open_end = text.trim().endsWith('~');
  const words = normalizeText(text.replace(/~\s*$/, '')).trim();
  const first = without_spaces.test(words.slice(0, 1)) ? '' : ' ';
  const last = open_end || without_spaces.test(words.slice(-1)) ? '' : ' ';
  return `${first}${words}${last}`;
}

/** `normalized` must come from `normalizeText`. */
export const hasPhrase = (normalized: string, table: PhraseTable): boolean =>
  table().some((phrase) => containsPhrase(normalized, phrase));

function containsPhrase(normalized: string, [first, ...rest]: Part[]): boolean {
  let from = 0;
  for (;;) {
    const at = normalized.indexOf(first!.text, from);
    if (at === -1) return false;
    let end = at + first!.text.length;
    const all_found = rest.every((part) => {
      end = endOfNextPart(normalized, part, end);
      return end !== -1;
    });
    if (all_found) return true;
    from = at + 1;
  }
}

/** The position after the next part of a phrase, or -1. Two parts may share the space between them. */
function endOfNextPart(normalized: string, { text, is_near }: Part, after: number): number {
  const window = normalized.slice(after - 1, after + gap_chars + text.length);
  const start = window.indexOf(text);
  if (start === -1 || (is_near && window.slice(1, start).includes(' '))) return -1;
  return after - 1 + start + text.length;
}
