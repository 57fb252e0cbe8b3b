// Parses the parameters of a field such as Content-Type: RFC 2231 with continuations and charsets, and common invalid forms.
import { decodeText } from './charsets.ts';

const max_params_chars = 8000;

/** One continuation of a parameter, such as `filename*1*=...`. */
type Piece = { index: number; text: string; is_coded: boolean };

export function readParams(header: string): { value: string; params: Map<string, string> } {
  const text = header.slice(0, max_params_chars);
  const value = /^[^;\s]*/.exec(text.trimStart())![0].toLowerCase();
  const params = new Map<string, string>();
  const pieces = new Map<string, Piece[]>();
  for (const [name, param_value] of namesAndValues(text.trimStart().slice(value.length))) {
    const form = /^([^*]+)(?:\*(\d{1,3}))?(\*)?$/.exec(name);
    if (!form || (form[2] === undefined && form[3] === undefined)) {
      if (!params.has(name)) params.set(name, param_value);
      continue;
    }
    const continuations = pieces.get(form[1]!) ?? [];
    pieces.set(form[1]!, continuations);
    continuations.push({ index: Number(form[2] ?? 0), text: param_value, is_coded: form[3] === '*' });
  }
  for (const [name, continuations] of pieces) params.set(name, joined(continuations));
  return { value, params };
}

/** A loop, because a regular expression that accepts as many invalid forms can take exponential time on hostile input. */
function* namesAndValues(text: string): Generator<[name: string, value: string]> {
  const isAnyOf = (chars: string, at: number) => at < text.length && chars.includes(text[at]!);
  let at = 0;
  let semicolon = -1;
  const skip = (chars: string) => {
    while (isAnyOf(chars, at)) at++;
  };
  const readUntil = (chars: string) => {
    const from = at;
    while (at < text.length && !isAnyOf(chars, at)) at++;
    return text.slice(from, at);
  };
  while (at < text.length) {
    // Some programs omit the semicolon: a space before a name also separates parameters.
    skip('; \t\r\n"');
    const name = readUntil('=; \t\r\n"').toLowerCase();
    skip(' \t\r\n');
    if (text[at] !== '=') continue;
    at++;
    skip(' \t\r\n');
    if (text[at] === '"') {
      at++;
      let value = '';
      while (at < text.length && text[at] !== '"') {
        if (text[at] === '\\' && at + 1 < text.length) at++;
        value += text[at++];
      }
      at++;
      if (name !== '') yield [name, value];
      continue;
    }
    // Searched again only behind the last one: a field may have a thousand values before its only semicolon.
    if (semicolon < at) semicolon = indexOrEnd(text, ';', at);
    const { value, end } = plainValue(text, at, semicolon);
    at = end;
    if (name !== '') yield [name, value];
  }
}

const indexOrEnd = (text: string, part: string, from: number): number => {
  const at = text.indexOf(part, from);
  return at === -1 ? text.length : at;
};

const blanks = /\s+/g;
const next_param = /[\w*-]{1,60}\s?=/y;

/** An unquoted value ends at a semicolon or, if that is missing, before the next parameter or comment. */
function plainValue(text: string, from: number, semicolon: number): { value: string; end: number } {
  blanks.lastIndex = from;
  const blank = blanks.exec(text);
  if (!blank || blank.index >= semicolon) return { value: text.slice(from, semicolon), end: semicolon };
  const value = text.slice(from, blank.index);
  if (blanks.lastIndex < semicolon && text[blanks.lastIndex] === '(') return { value, end: semicolon };
  next_param.lastIndex = blanks.lastIndex;
  const next = next_param.exec(text);
  if (next && next_param.lastIndex <= semicolon) return { value, end: blank.index };
  return { value: text.slice(from, semicolon).trim(), end: semicolon };
}

function joined(pieces: Piece[]): string {
  pieces.sort((a, b) => a.index - b.index);
  const [first] = pieces;
  const coded = first!.is_coded ? /^([^']*)'[^']*'(.*)$/s.exec(first!.text) : null;
  if (coded) first!.text = coded[2]!;
  const bytes = Buffer.concat(
    pieces.map(({ text, is_coded }) => (is_coded ? percentDecoded(text) : Buffer.from(text))),
  );
  return decodeText(bytes, coded?.[1] || 'utf-8');
}

const percentDecoded = (text: string): Buffer =>
  Buffer.from(
    Buffer.from(text)
      .toString('latin1')
      .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
