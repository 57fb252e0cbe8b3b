// How long a pause must last before a turn counts as over, depending on how its text ends.

export type Endpoint = { complete_ms: number; usual_ms: number; open_ms: number };

export const quick_endpoint: Endpoint = { complete_ms: 300, usual_ms: 480, open_ms: 900 };

const number_words = 'zero|oh|one|two|three|four|five|six|seven|eight|nine';
const ends_in_digits = new RegExp(`(\\d[\\s-]?|\\b(${number_words})\\b[\\s,-]*)+[.,]?$`, 'i');
const ends_unfinished =
  /(\b(and|or|but|so|because|if|then|that|which|the|an?|to|of|for|with|at|on|in|my|our|your|is|are|um+|uh+|er+|well|like)[.,]?|[,:;–—-]|\.\.\.|…)$/i;

export function silenceAfter(text: string, endpoint: Endpoint): number {
  const turn = text.trim();
  if (turn === '') return endpoint.usual_ms;
  if (ends_unfinished.test(turn) || ends_in_digits.test(turn)) return endpoint.open_ms;
  return /[.?!]["')]?$/.test(turn) ? endpoint.complete_ms : endpoint.usual_ms;
}
