// Recognizes short reactions that mean "I am listening" (back-channels, such as "uh-huh") and are no reply.

const single_words = new Set(
  'ah aha alright cool fine good great hm hmm mhm mm mmm huh oh ok okay right sure uh uhhuh um yeah yep yes yup'.split(
    ' ',
  ),
);
const phrases = new Set([
  'i see',
  'got it',
  'go on',
  'makes sense',
  'of course',
  'uh huh',
  'mm hmm',
  'all right',
]);

export function isBackChannel(text: string): boolean {
  const words = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\s'-]/gu, ' ')
    .replaceAll('-', ' ')
    .trim()
    .split(/\s+/);
  if (words.length > 3 || words[0] === '') return false;
  return phrases.has(words.join(' ')) || words.every((word) => single_words.has(word));
}
