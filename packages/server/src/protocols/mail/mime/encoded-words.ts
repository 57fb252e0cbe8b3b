// Rewrites encoded words (RFC 2047) that programs get wrong, so that every reader understands them.
import { decodeText, isStandard } from './charsets.ts';

type Word = { start: number; end: number; charset: string; encoding: string; payload: string };

const introduction = /=\?([^?\s]{1,60})\?([bq])\?/iy;

/** The encoded words of a text, in order. An end that is missing once is missing for all words after it. */
function wordsIn(text: string): Word[] {
  const words: Word[] = [];
  for (let at = text.indexOf('=?'); at !== -1; at = text.indexOf('=?', at)) {
    introduction.lastIndex = at;
    const match = introduction.exec(text);
    if (!match) {
      at += 2;
      continue;
    }
    const from = introduction.lastIndex;
    const end = text.indexOf('?=', from);
    if (end === -1) break;
    // RFC 2231 section 5 lets a language follow the charset.
    const charset = match[1]!.split('*', 1)[0]!;
    const payload = text.slice(from, end);
    words.push({ start: at, end: end + 2, charset, encoding: match[2]!.toLowerCase(), payload });
    at = end + 2;
  }
  return words;
}

/** Whether other readers understand it: ASCII without question marks, in a charset they know. */
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

/** Takes and returns one letter a byte; what is rewritten says the same in UTF-8 and base64. */
export function repairWords(text: string): string {
  if (!text.includes('=?')) return text;
  const words = wordsIn(text);
  if (words.every(isRegular)) return text;
  let out = '';
  let place = 0;
  for (let index = 0; index < words.length; ) {
    const first = words[index]!;
    const run = [first];
    // A character may be split between words: those that follow each other are one text.
    for (let next = words[++index]; next && follows(text, run.at(-1)!, next); next = words[++index])
      run.push(next);
    out += text.slice(place, first.start);
    place = run.at(-1)!.end;
    if (run.every(isRegular)) out += text.slice(first.start, place);
    else {
      const decoded = decodeText(Buffer.concat(run.map(bytesOf)), first.charset);
      out += `=?utf-8?B?${Buffer.from(decoded).toString('base64')}?=`;
    }
  }
  return out + text.slice(place);
}

const follows = (text: string, word: Word, next: Word): boolean =>
  next.charset.toLowerCase() === word.charset.toLowerCase() &&
  next.start - word.end < 100 &&
  text.slice(word.end, next.start).trim() === '';
