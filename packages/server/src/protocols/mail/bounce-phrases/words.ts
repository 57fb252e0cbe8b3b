// Compares a server's words with tables of phrases: both are brought to one spelling first, and a comparison takes linear time.

/** The words of one refusal fit in far less; the rest of a longer text is a copy of the message. */
const max_chars = 20_000;
/** How far apart the parts of a phrase with a gap may stand. */
const gap_chars = 60;

const short_negations: [RegExp, string][] = [
  [/ (does|is|was|could|do|has|did|are|were|would)( ?nt| n t) /g, ' $1 not '],
  [/ (cannot|cant|can t) /g, ' can not '],
  [/ e mails? /g, ' email '],
  [/ emails /g, ' email '],
  [/ mail box /g, ' mailbox '],
];

/**
 * One spelling of a text: lower case without accents and punctuation, addresses as "@", addresses of pages as their host,
 * and without the codes that some servers repeat in front of every line. It begins and ends with a space.
 */
export function plainWords(text: string): string {
  let words = text
    .slice(0, max_chars)
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    // French and Italian write short words together with the next one, English its negations.
    .replaceAll(/(?<!\p{L})(l|d|j|m|t|s|n|c|qu|un|all|dell|nell|sull)['’´](?=\p{L})/gu, '$1 ')
    .replaceAll(/['’`´]/g, '')
    .replaceAll(/\bhttps?:\/\/([^\s/"<>?]{1,255})[^\s"<>]{0,2000}/g, ' $1 ')
    // "ana@example.com...User unknown": the dots end the address.
    .replaceAll(/\.{2,}/g, ' ')
    .replaceAll(/[^\s<>"(),;:[\]=]{1,64}@[^\s<>"(),;:[\]@]{1,255}/g, ' @ ')
    .replaceAll(/(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/g, ' ')
    .replaceAll(/(?<![\d.])[245]\d\d(?![\d.])/g, ' ')
    .replaceAll(/[^\p{L}\p{N}\p{M}@.]+/gu, ' ')
    .replaceAll(/\.(?![\p{L}\p{N}])/gu, ' ')
    .replaceAll(/ \.+/g, ' ');
  words = ` ${words} `.replaceAll(/ {2,}/g, ' ');
  for (const [long, short] of short_negations) words = words.replaceAll(long, short);
  return words;
}

/** A part of a phrase with the spaces at which its words begin and end, and whether more than one word may stand before it. */
type Part = { text: string; is_near: boolean };
export type PhraseTable = Part[][];

/**
 * One phrase a line: `*` stands for a few words in between, `+` for one, `~` at the end of a part for the rest of its last
 * word. Lines that begin with `#` say where the phrases below were seen.
 */
export const phraseTable = (...texts: string[]): PhraseTable =>
  texts.flatMap((text) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) =>
        line.split(/(?=[*+])/).map((part) => ({
          text: partOf(part.replace(/^[*+]/, '')),
          is_near: part.startsWith('+'),
        })),
      ),
  );

/** Chinese, Japanese and Thai write no spaces, and Korean adds endings to its words. */
const without_spaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;

function partOf(text: string): string {
  const open_end = text.trim().endsWith('~');
  const words = plainWords(text.replace(/~\s*$/, '')).trim();
  const first = without_spaces.test(words.slice(0, 1)) ? '' : ' ';
  const last = open_end || without_spaces.test(words.slice(-1)) ? '' : ' ';
  return `${first}${words}${last}`;
}

/** `words` come from `plainWords`. */
export const hasPhrase = (words: string, table: PhraseTable): boolean =>
  table.some((phrase) => holds(words, phrase));

function holds(words: string, [first, ...rest]: Part[]): boolean {
  let from = 0;
  for (;;) {
    const at = words.indexOf(first!.text, from);
    if (at === -1) return false;
    let end = at + first!.text.length;
    const all = rest.every((part) => {
      end = endOf(words, part, end);
      return end !== -1;
    });
    if (all) return true;
    from = at + 1;
  }
}

/** Where the next part of a phrase ends, or -1. Two parts may share the space between them. */
function endOf(words: string, { text, is_near }: Part, after: number): number {
  const window = words.slice(after - 1, after + gap_chars + text.length);
  const start = window.indexOf(text);
  if (start === -1 || (is_near && window.slice(1, start).includes(' '))) return -1;
  return after - 1 + start + text.length;
}
