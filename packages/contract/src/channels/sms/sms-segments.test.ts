// Segment counts: known examples, and a carrier's public calculator as a second source.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadVerifier, skipWithout } from '../../../../../test/verifiers/load.ts';
import { segmentsOf } from './sms-segments.ts';

const a = (count: number) => 'a'.repeat(count);

for (const [name, text, encoding, segments] of [
  ['one character', 'a', 'gsm7', 1],
  ['160 characters', a(160), 'gsm7', 1],
  ['161 characters', a(161), 'gsm7', 2],
  ['306 characters', a(306), 'gsm7', 2],
  ['307 characters', a(307), 'gsm7', 3],
  ['the accented characters of the default alphabet', 'èéùìòÇØøÅåÆæßÉÄÖÑÜäöñüà§¿¡£¥', 'gsm7', 1],
  ['a euro sign, which takes two septets', `${a(158)}€`, 'gsm7', 1],
  ['one euro sign too many for a single segment', `${a(159)}€`, 'gsm7', 2],
  ['80 brackets', '['.repeat(80), 'gsm7', 1],
  ['81 brackets', '['.repeat(81), 'gsm7', 2],
  ['a bracket that may not be split between segments', `${a(152)}[${a(152)}`, 'gsm7', 3],
  ['a bracket that just fits', `${a(151)}[${a(153)}`, 'gsm7', 2],
  ['one character outside the alphabet', 'ç', 'ucs2', 1],
  ['70 of them', 'ж'.repeat(70), 'ucs2', 1],
  ['71 of them', 'ж'.repeat(71), 'ucs2', 2],
  ['134 of them', 'ж'.repeat(134), 'ucs2', 2],
  ['135 of them', 'ж'.repeat(135), 'ucs2', 3],
  ['35 emoji', '😀'.repeat(35), 'ucs2', 1],
  ['36 emoji', '😀'.repeat(36), 'ucs2', 2],
  ['66 emoji: 33 fit in a segment, and an emoji is never split', '😀'.repeat(66), 'ucs2', 2],
  ['67 emoji', '😀'.repeat(67), 'ucs2', 3],
  ['a curly apostrophe in English', 'It’s fine', 'ucs2', 1],
  ['line breaks', 'a\nb\r\nc', 'gsm7', 1],
] as const) {
  test(`${name}: ${segments} in ${encoding}`, () =>
    assert.deepEqual(segmentsOf(text), { encoding, segments }));
}

type Calculator = {
  SegmentedMessage: new (text: string, encoding: 'auto') => { encodingName: string; segmentsCount: number };
};
const verifier = 'sms-segments-calculator';
const calculator = await loadVerifier<{ default: Calculator }>(verifier);

test('agrees with the public calculator on any mix of letters, symbols and emoji', {
  skip: skipWithout(verifier),
}, () => {
  const character = fc.constantFrom(...'abcÅé€[]{}~|^\\ \n', 'ж', '’', '😀', '漢');
  const mostly = fc.array(fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...'abc[€é') }, character), {
    minLength: 1,
    maxLength: 700,
  });
  fc.assert(
    fc.property(mostly, (characters) => {
      const text = characters.join('');
      const theirs = new calculator!.default.SegmentedMessage(text, 'auto');
      const ours = segmentsOf(text);
      assert.equal(ours.encoding, theirs.encodingName === 'GSM-7' ? 'gsm7' : 'ucs2');
      assert.equal(ours.segments, theirs.segmentsCount);
    }),
    { numRuns: 300 },
  );
});
