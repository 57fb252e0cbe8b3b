// Recognizes the keywords with which a person stops, resumes or asks about texts.
import { plainWords } from '../../../rules/consents/index.ts';
import { type OptOutKeyword, type OptOutLanguage, opt_out_words } from './opt-out-words.ts';

export type { OptOutKeyword } from './opt-out-words.ts';

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

const keyword_names = ['stop', 'start', 'help'] as const;
const languages = Object.entries(opt_out_words) as [OptOutLanguage, (typeof opt_out_words)[OptOutLanguage]][];

/** Several languages may have a word; it means the same in all of them. */
type OptOutWord = { keyword: OptOutKeyword; languages: OptOutLanguage[] };
const words = new Map<string, OptOutWord>();
for (const [language, entry] of languages)
  for (const keyword of keyword_names)
    for (const word of entry[keyword].split(', ')) {
      const key = spelled(word);
      words.set(key, { keyword, languages: [...(words.get(key)?.languages ?? []), language] });
    }

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

function wordIn(body: string): OptOutWord | null {
  const text = plain(body);
  if (text.length > max_chars) return null;
  // Quotes, full stops and emoji around the keyword do not change its meaning.
  const word = words.get(between_letters.exec(text.toUpperCase())?.[0] ?? '');
  if (word) return word;
  const sentence = text.toLowerCase();
  if (not_refusing.test(sentence)) return null;
  return sentences.test(sentence) ? { keyword: 'stop', languages: ['en'] } : null;
}

export const optOutKeyword = (body: string): OptOutKeyword | null => wordIn(body)?.keyword ?? null;

/** The language to answer in: that of the word, and of the phone's country where several languages have the word. */
export function optOutLanguage(body: string, phone: string): OptOutLanguage {
  const candidates = wordIn(body)?.languages ?? [];
  const isSpokenAt = (language: OptOutLanguage) =>
    opt_out_words[language].calling_codes.split(', ').some((code) => code && phone.startsWith(`+${code}`));
  return candidates.find(isSpokenAt) ?? candidates[0] ?? 'en';
}

/** The answers to a keyword in all languages. */
export const answersTo = (keyword: OptOutKeyword): string[] =>
  languages.map(([, { answers }]) => answers[keyword]);
