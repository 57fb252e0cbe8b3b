// Joins an attribution that a mail program broke around its address, also with empty lines: "On … Ana <", "ana@example.com",
// "> wrote:". The last line is no quotation, although it begins like one.
import { beginsAsOne, verb_end } from './attribution.ts';
import type { Line } from './lines.ts';

const max_lines = 12;
const max_chars = 300;
const is_address = /^(?:mailto:)?[^\s@]{1,64}@[^\s@]{1,190}$/u;

/** The words of a line that has only an address, brackets, or both, and perhaps the verb at its end. */
const wordsOf = (text: string): string[] => text.split(/[\s<>()[\]]+/u).filter((word) => word !== '');

const isQuotedByMarkup = ({ is_quoted, text }: Line): boolean => is_quoted && !/^\s{0,4}>/u.test(text);

export function joinBrokenAttributions(lines: readonly Line[]): readonly Line[] {
  const joined: Line[] = [];
  for (let at = 0; at < lines.length; ) {
    const broken = brokenAt(lines, at);
    joined.push(broken ? { ...lines[at]!, text: broken.text } : lines[at]!);
    at = broken ? broken.end : at + 1;
  }
  return joined;
}

/** An attribution that begins on this line, and the number of the line after it; null if there is none or it is not broken. */
function brokenAt(lines: readonly Line[], start: number): { text: string; end: number } | null {
  const first = lines[start]!;
  if (first.is_quoted || first.text.length > max_chars || !beginsAsOne(first.text)) return null;
  if (verb_end.test(first.text)) return null;
  let text = first.text.trim();
  let address: string | null = null;
  let is_broken = false;
  for (let at = start + 1; at < Math.min(lines.length, start + max_lines); at++) {
    const line = lines[at]!;
    if (line.text.length > max_chars || isQuotedByMarkup(line)) return null;
    is_broken ||= line.is_quoted || line.text.trim() === '' || at >= start + 4;
    const words = wordsOf(line.text);
    const verb = verb_end.test(line.text) ? (words.at(-1) ?? '') : '';
    const others = verb === '' ? words : words.slice(0, -1);
    if (others.every((word) => is_address.test(word))) {
      address ??= others.at(-1)?.replace(/^mailto:/u, '') ?? null;
      if (verb === '') continue;
      return is_broken && (address || text.includes('@'))
        ? { text: written(text, address, verb), end: at + 1 }
        : null;
    }
    // The date and the name may be on two lines.
    if (at > start + 1 || verb !== '' || beginsAsOne(line.text)) return null;
    text = `${text} ${line.text.trim()}`;
  }
  return null;
}

const written = (start: string, address: string | null, verb: string): string => {
  const bare = start.replace(/[\s<([]{1,10}$/u, '');
  return address ? `${bare} <${address}> ${verb}` : `${bare} ${verb}`;
};
