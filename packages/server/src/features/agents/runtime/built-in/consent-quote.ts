// Checks that words which the model quotes as consent were really said by the other party.

/** Lower case without punctuation and accents, as recognition and models write the same words differently. */
const normal = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const shortest_chars = 2;

/** True when the quote occurs in one of the turns, as whole words. */
export function isQuoted(quote: unknown, turns: readonly string[]): boolean {
  if (typeof quote !== 'string') return false;
  const wanted = normal(quote);
  if (wanted.length < shortest_chars) return false;
  return turns.some((turn) => ` ${normal(turn)} `.includes(` ${wanted} `));
}
