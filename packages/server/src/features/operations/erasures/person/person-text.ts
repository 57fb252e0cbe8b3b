// Finds a person in texts of all kinds, and replaces number, address and name there.
import { editJson } from '../content/json-text.ts';
import { addressesOf, isFullName, type Person, phonesOf } from './person.ts';

export type PersonText = {
  /** For PostgreSQL, without regard to case: finds every text that has the person, and some more. */
  pattern: string;
  /** The text without the person: the same text when it does not name the person. JSON is changed by value. */
  replace(text: string): string;
};

/** A text inside a JSON text may be JSON too, such as the arguments of a tool; deeper than this nobody writes. */
const max_depth = 4;

const escaped = (text: string): string => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');
const inPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
const wordsOf = (name: string): string[] => name.trim().split(/\s+/);

export function personText(person: Person, erased: string): PersonText {
  const party = partyPattern(person);
  const [full, short] = [person.names.filter(isFullName), person.names.filter((name) => !isFullName(name))];
  const replaceParty = replacement(party, 'giu');
  const dropDisplayName = replacement(displayPattern(person, party), 'giu');
  const replaceNames = replacement(full.map((name) => namePattern(name)).join('|'), 'giu');
  // Of one word: "Mark" is not in "mark the date".
  const replaceShort = replacement(
    short.flatMap((name) => [namePattern(name), namePattern(name.toUpperCase())]).join('|'),
    'gu',
  );
  const whole = party && new RegExp(`^(?:${party})$`, 'iu');
  const inText = (text: string) =>
    [replaceParty, replaceNames, replaceShort].reduce(
      (current, step) => step(current, erased),
      dropDisplayName(text, ''),
    );
  const replace = (text: string, depth = 0): string => {
    const json =
      depth < max_depth &&
      editJson(text, {
        value: (value) => replace(value, depth + 1),
        // A name in a key is a word of a program; a number or an address is not.
        key: (key) => replaceParty(key, erased),
        isPerson: (value) => whole !== '' && whole.test(value),
        erased,
      });
    return typeof json === 'string' ? json : inText(text);
  };
  return { pattern: searchPattern(person), replace: (text) => replace(text) };
}

function replacement(pattern: string, flags: string): (text: string, erased: string) => string {
  if (pattern === '') return (text) => text;
  const compiled = new RegExp(pattern, flags);
  return (text, erased) => text.replaceAll(compiled, () => erased);
}

const partyPattern = (person: Person): string => {
  const parts = [...phonesOf(person).map(phonePattern), ...addressesOf(person).map(addressPattern)];
  return parts.length === 0 ? '' : `(?:${parts.join('|')})`;
};

/** +14155550100 is not a part of +141555501001; in a link the plus sign is %2B. */
const phonePattern = (phone: string): string => `(?:\\+|%2B)${phone.slice(1)}(?![0-9])`;

/**
 * ana@example.com is not a part of diana@example.com or ana@example.com.br; in links and return paths @ is written
 * differently, and a character before the address may be written as %3A.
 */
function addressPattern(address: string): string {
  const at = address.lastIndexOf('@');
  const [local, domain] = [inPattern(address.slice(0, at)), inPattern(address.slice(at + 1))];
  const start = '(?:(?<![\\p{L}\\p{N}._+\\-])|(?<=%[0-9a-f]{2}))';
  return `${start}${local}(?:@|%40|=)${domain}(?![\\p{L}\\p{N}\\-]|\\.[\\p{L}\\p{N}])`;
}

/** "Ana K" of "Ana K <ana@example.com>", in headers and quotations. */
function displayPattern({ display_names = [] }: Person, party: string): string {
  const names = display_names.filter((name) => /\p{L}/u.test(name)).map((name) => `"?${blanks(name)}"?`);
  if (names.length === 0 || party === '') return '';
  return `(?<![\\p{L}\\p{N}_])(?:${names.join('|')})\\s{0,3}(?=<${party}>)`;
}

const blanks = (name: string): string => wordsOf(name).map(inPattern).join('(?:\\s|&nbsp;){1,8}');

/** Words of a name may be separated by several spaces or a line end. */
const namePattern = (name: string): string =>
  `(?<![\\p{L}\\p{M}\\p{N}_])${blanks(name)}(?![\\p{L}\\p{M}\\p{N}_])`;

/** In JSON texts quotation marks, backslashes and line ends are written with backslashes, several when JSON is inside JSON. */
function searchPattern(person: Person): string {
  const character = (each: string): string => {
    if (each === '\\') return '\\\\+';
    if (each === '"') return '\\\\*"';
    // The database may not know the upper case of letters outside of ASCII.
    if (each > '~') return `(?:${[...new Set([each, each.toLowerCase(), each.toUpperCase()])].join('|')})`;
    return escaped(each);
  };
  const name = (text: string) =>
    wordsOf(text)
      .map((word) => [...word].map(character).join(''))
      .join('(?:\\s|\\u00a0|&nbsp;|\\\\+[nrtf])+');
  const address = (text: string) => {
    const at = text.lastIndexOf('@');
    return `${escaped(text.slice(0, at))}(?:@|%40|=)${escaped(text.slice(at + 1))}`;
  };
  const parts = [
    ...phonesOf(person).map((phone) => `(?:\\+|%2B)${phone.slice(1)}`),
    ...addressesOf(person).map(address),
    ...person.names.map(name),
  ];
  return `(?:${parts.join('|')})`;
}
