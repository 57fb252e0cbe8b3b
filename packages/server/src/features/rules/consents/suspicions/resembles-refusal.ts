// Recognizes words that resemble a refusal but are not clear enough to obey: a person decides about them.
import { plainWords } from '../plain-words.ts';

const max_chars = 300;

// "Stop by at noon" and "I do not want to stop" must not be suspected; a missed one costs nothing but another message.
const suspicious = new RegExp(
  [
    /\b(please|pls|plz|just|can you|could you|would you|you to|this to|it to)\s+(please\s+)?stop\b(?!\s+(by|at|in|over)\b)/,
    /\bstop\s+(it|this|that|now|please|pls|plz|immediately|already)\b/,
    /\b(not|no longer|never)\s+interested\b/,
    /\bwrong\s+(number|person|address)\b/,
    /\b(go away|lose my number|piss off|fuck off|get lost)\b/,
    /\b(do not|don't|dont|never)\s+(call|e-?mail|mail|text|message|contact|bother|write( to)?)\s+(me|us|here|again|any ?more|this)\b/,
    /\b(unsubscribe|opt(ing)?[\s-]?out|remove me|take me off|spam(ming)?|harass(ing|ment)?)\b/,
    /\b(enough|no more)\s+(of\s+(this|these|your)|texts?|messages?|e-?mails?|mails?|calls?)\b/,
    /\b(keine (nachrichten|sms|e-?mails?|anrufe) mehr|horen sie auf|hor auf)\b/,
    /\b(no me (escriba|llame|contacte)n?|dejen? de (escribir|llamar))/,
    /\b(arretez|ne m'(appelez|ecrivez|contactez))\b/,
    /\b(pare(m)? de|nao me (ligue|contate|escreva))/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
const not_refusing = /\b(do not|don't|dont|never|please keep)\s+(want (you )?to\s+)?stop\b/;

/** For the new words of a message, without what it quotes. Clear refusals must be recognized before. */
export function resemblesRefusal(text: string): boolean {
  if (text.length > max_chars) return false;
  const plain = plainWords(text).toLowerCase().replaceAll(/\s+/g, ' ');
  return suspicious.test(plain) && !not_refusing.test(plain);
}
