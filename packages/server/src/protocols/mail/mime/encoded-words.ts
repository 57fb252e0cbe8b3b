// Rewrites invalid encoded words (RFC 2047) to valid ones, so that the library can decode them.
import { decodeText, isStandard } from './charsets.ts';

type Word = { start: number; end: number; charset: string; encoding: string; payload: string };

const word_start = /=\?([^?\s]{1,60})\?([bq])\?/iy;

/** The encoded words of a text, in order. Stops at the first one without an end: no later one can have an end either. */
function wordsIn(text: string): Word[] {
  const words: Word[] = [];
  for (let at = text.indexOf('=?'); at !== -1; at = text.indexOf('=?', at)) {
    word_start.lastIndex = at;
    const match = word_start.exec(text);
    if (!match) {
      at += 2;
      continue;
    }
    const from = word_start.lastIndex;
    const end = text.indexOf('?=', from);
    if (end === -1) break;
    // A language may follow the charset (RFC 2231 section 5).
    const charset = match[1]!.split('*', 1)[0]!;
    const payload = text.slice(from, end);
    words.push({ start: at, end: end + 2, charset, encoding: match[2]!.toLowerCase(), payload });
    at = end + 2;
  }
  return words;
}

/** Whether any parser can decode it: ASCII without question marks, in a standard charset. */
const isRegular = ({ charset, payload }: Word): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII is meant
  !/[^\x00-\x7f]|\?/.test(payload) && isStandard(charset);

function bytesOf({ encoding, payload }: Word): Buffer {
  if (encoding === 'b') return Buffer.from(payload, 'base64');
  const text = payload
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, 'latin1');
}

/** Input and output are latin1 strings, one character per byte. Rewritten words are UTF-8 in base64. */
export function repairWords(text: string): string {
  if (!text.includes('=?')) return text;
  const words = wordsIn(text);
  if (words.every(isRegular)) return text;
  let out = '';
  let position = 0;
  for (let index = 0; index < words.length; ) {
    const first = words[index]!;
    const run = [first];
    // Decode adjacent words together: a multi-byte character may be split between them.
    for (let next = words[++index]; next && follows(text, run.at(-1)!, next); next = words[++index])
      run.push(next);
    out += text.slice(position, first.start);
    position = run.at(-1)!.end;
    if (run.every(isRegular)) out += text.slice(first.start, position);
    else {
      const decoded = decodeText(Buffer.concat(run.map(bytesOf)), first.charset);
      out += `=?utf-8?B?${Buffer.from(decoded).toString('base64')}?=`;
    }
  }
  return out + text.slice(position);
}

const follows = (text: string, word: Word, next: Word): boolean =>
  next.charset.toLowerCase() === word.charset.toLowerCase() &&
  next.start - word.end < 100 &&
  text.slice(word.end, next.start).trim() === '';
