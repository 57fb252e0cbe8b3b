// Reads numbers that were spoken or written in English.

const units = [
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen',
  'sixteen seventeen eighteen nineteen',
]
  .join(' ')
  .split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const ordinals = [
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth',
  'fifteenth sixteenth seventeenth eighteenth nineteenth twentieth',
]
  .join(' ')
  .split(' ');

/** -1 when the word is no number below twenty. `oh` is the zero of spoken digits. */
const unitOf = (word: string) => (word === 'oh' ? 0 : units.indexOf(word));
const tenOf = (word: string) => (tens.includes(word) ? (tens.indexOf(word) + 2) * 10 : -1);

export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/(\d),(?=\d{3}\b)/g, '$1')
    .match(/\d+(?:\.\d+)?|[\p{L}']+/gu) ?? [];

/** Every number of the text in its order; three or more single digits in a row are one number. */
export function numbersIn(text: string): number[] {
  const words = wordsOf(text);
  const numbers: number[] = [];
  for (let at = 0; at < words.length; ) {
    const digits = digitRun(words, at);
    const { value, next } =
      digits.length > 2 ? { value: Number(digits), next: at + digits.length } : numberAt(words, at);
    if (value !== null) numbers.push(value);
    at = next;
  }
  return numbers;
}

/** The digits of a telephone or postal number, spoken one by one or written in groups. */
export function digitsIn(text: string): string {
  return wordsOf(text)
    .map((word) =>
      /^\d+$/.test(word) ? word : unitOf(word) >= 0 && unitOf(word) < 10 ? String(unitOf(word)) : '',
    )
    .join('');
}

function digitRun(words: readonly string[], start: number): string {
  let digits = '';
  for (let at = start; at < words.length; at++) {
    const unit = unitOf(words[at]!);
    if (unit < 0 || unit > 9) break;
    digits += unit;
  }
  return digits;
}

function numberAt(words: readonly string[], start: number): { value: number | null; next: number } {
  const first = words[start]!;
  if (/^\d/.test(first)) return { value: Number(first), next: start + 1 };
  let value: number | null = null;
  let at = start;
  for (; at < words.length; at++) {
    const word = words[at]!;
    const small = Math.max(unitOf(word), tenOf(word));
    if (small >= 0)
      value =
        value === null || value % 100 === 0 || (value % 10 === 0 && small < 10) ? (value ?? 0) + small : null;
    else if (word === 'hundred' && value !== null) value *= 100;
    else if (word === 'thousand' && value !== null) value *= 1000;
    else if (word !== 'and' || value === null || value % 100 !== 0) break;
    if (value === null) break;
  }
  return { value, next: Math.max(at, start + 1) };
}

/** A day of the month: 20, 20th, twentieth, twenty-first; null for other words. */
export function ordinalIn(text: string): number | null {
  const plain = text.toLowerCase().replaceAll('-', ' ').trim();
  const digits = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(plain)?.[1];
  if (digits) return Number(digits);
  const [one = '', two = ''] = plain.split(' ');
  if (ordinals.includes(one)) return ordinals.indexOf(one) + 1;
  if (one === 'thirtieth') return 30;
  const rest = ordinals.indexOf(two) + 1;
  return tenOf(one) > 0 && rest > 0 && rest < 10 ? tenOf(one) + rest : null;
}
