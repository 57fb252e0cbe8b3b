// Recognizes the keywords with which a person stops, resumes or asks about texts.
import { plainWords } from '../consents/index.ts';
import { opt_out_words } from './opt-out-words.ts';

export type OptOutKeyword = 'stop' | 'start' | 'help';

/** A longer text has more to say. */
const max_chars = 300;

/** As `optOutKeyword` spells a text. These letters have no accent that could be taken away. */
const plain = (text: string): string =>
  plainWords(text)
    .trim()
    .replaceAll(/[łŁ]/g, 'l')
    .replaceAll(/[øØ]/g, 'o')
    // Of the whole text, a hyphen is a space.
    .replaceAll(/[-_\s]+/g, ' ');
const spelled = (text: string): string => plain(text).toUpperCase();

const keywords = new Map<string, OptOutKeyword>(
  Object.values(opt_out_words).flatMap((words) =>
    (['stop', 'start', 'help'] as const).flatMap((keyword) =>
      words[keyword].split(', ').map((word) => [spelled(word), keyword] as const),
    ),
  ),
);

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

/** From the first letter or digit to the last one. */
const between_letters = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;

export function optOutKeyword(body: string): OptOutKeyword | null {
  const text = plain(body);
  if (text.length > max_chars) return null;
  // Quotes, full stops and emoji around the keyword do not change its meaning.
  const keyword = keywords.get(between_letters.exec(text.toUpperCase())?.[0] ?? '');
  if (keyword) return keyword;
  const sentence = text.toLowerCase();
  if (not_refusing.test(sentence)) return null;
  return sentences.test(sentence) ? 'stop' : null;
}
