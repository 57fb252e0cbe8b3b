// Recognizes the keywords with which a person stops, resumes or asks about texts.
import { plainWords } from '../consents/index.ts';

export type OptOutKeyword = 'stop' | 'start' | 'help';

const stop = [
  'STOP',
  'STOPALL',
  'STOP ALL',
  'UNSUBSCRIBE',
  'CANCEL',
  'END',
  'QUIT',
  'REVOKE',
  'OPTOUT',
  'OPT OUT',
  'ARRET',
];
const start = ['START', 'YES', 'UNSTOP'];
const help = ['HELP', 'INFO'];

const keywords = new Map<string, OptOutKeyword>([
  ...stop.map((keyword) => [keyword, 'stop'] as const),
  ...start.map((keyword) => [keyword, 'start'] as const),
  ...help.map((keyword) => [keyword, 'help'] as const),
]);

// Revocation counts "in any reasonable manner" (47 CFR 64.1200(a)(10)), so sentences count too. The patterns are
// narrow: "stop by at noon" or "do not stop" must not stop anything.
const sentences = oneOf([
  /\b(stop|quit|cease)\s+(texting|messaging|contacting|sending|spamming|bothering)\b/,
  /\b(do not|don't|dont|never)\s+(text|message|contact|write( to)?)\s+(me|this number|us)\b/,
  /\bunsubscribe\s+me\b/,
  /\b(take|remove)\s+(me|my number|this number)\s+(off|from|out of)\b/,
  /\bopt\s+me\s+out\b/,
  /\bno more (texts|messages|sms)\b/,
  /\bleave me alone\b/,
]);
const not_refusing = /\b(do not|don't|dont|never|please keep)\s+stop\b/;

/** Every inbound text is tested: one pattern needs one pass. */
function oneOf(patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}

export function optOutKeyword(body: string): OptOutKeyword | null {
  const plain = plainWords(body).trim();
  const keyword = plain
    .toUpperCase()
    // Quotes, full stops and emoji around the keyword do not change its meaning; a hyphen is a space.
    .replaceAll(/[-_\s]+/g, ' ')
    .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  const known = keywords.get(keyword);
  if (known) return known;
  if (plain.length > 300) return null;
  const sentence = plain.toLowerCase().replaceAll(/\s+/g, ' ');
  if (not_refusing.test(sentence)) return null;
  return sentences.test(sentence) ? 'stop' : null;
}
