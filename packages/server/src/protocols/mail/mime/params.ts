// Reads the parameters of a field such as Content-Type: RFC 2231 with its continuations and charsets, what programs wrote
// before it, and what they leave out.
import { decodeText } from './charsets.ts';

const max_params_chars = 8000;

type Piece = { place: number; text: string; is_coded: boolean };

export function readParams(header: string): { value: string; params: Map<string, string> } {
  const text = header.slice(0, max_params_chars);
  const value = /^[^;\s]*/.exec(text.trimStart())![0].toLowerCase();
  const params = new Map<string, string>();
  const pieces = new Map<string, Piece[]>();
  for (const [name, said] of namesAndValues(text.trimStart().slice(value.length))) {
    const form = /^([^*]+)(?:\*(\d{1,3}))?(\*)?$/.exec(name);
    if (!form || (form[2] === undefined && form[3] === undefined)) {
      if (!params.has(name)) params.set(name, said);
      continue;
    }
    const of = pieces.get(form[1]!) ?? [];
    pieces.set(form[1]!, of);
    of.push({ place: Number(form[2] ?? 0), text: said, is_coded: form[3] === '*' });
  }
  for (const [name, of] of pieces) params.set(name, joined(of));
  return { value, params };
}

/** Letter by letter, because a pattern that forgives as much could be made to take very long. */
function* namesAndValues(text: string): Generator<[name: string, value: string]> {
  const is = (letters: string, at: number) => at < text.length && letters.includes(text[at]!);
  let at = 0;
  const skip = (letters: string) => {
    while (is(letters, at)) at++;
  };
  const readUntil = (letters: string) => {
    const from = at;
    while (at < text.length && !is(letters, at)) at++;
    return text.slice(from, at);
  };
  while (at < text.length) {
    // Semicolons are often forgotten: a blank before a name is as good.
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
    const from = at;
    const plain = readUntil(';');
    const { value, length } = plainValue(plain);
    at = from + length;
    if (name !== '') yield [name, value];
  }
}

/** A value without quotes ends at a semicolon; or before the next parameter or a comment, where that is missing. */
function plainValue(text: string): { value: string; length: number } {
  const blank = text.search(/\s/);
  if (blank === -1) return { value: text, length: text.length };
  const rest = text.slice(blank);
  if (/^\s+(?:[\w*-]{1,60}\s?=|\()/.test(rest)) {
    const is_comment = rest.trimStart().startsWith('(');
    return { value: text.slice(0, blank), length: is_comment ? text.length : blank };
  }
  return { value: text.trim(), length: text.length };
}

function joined(of: Piece[]): string {
  of.sort((a, b) => a.place - b.place);
  const [first] = of;
  const coded = first!.is_coded ? /^([^']*)'[^']*'(.*)$/s.exec(first!.text) : null;
  if (coded) first!.text = coded[2]!;
  const bytes = Buffer.concat(
    of.map(({ text, is_coded }) => (is_coded ? percentDecoded(text) : Buffer.from(text))),
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
