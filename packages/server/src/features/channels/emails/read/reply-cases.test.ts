// Replies as mail programs write them, in many languages: which text is the sender's (M3).
// A case is "%% program, form, …", the body, "%% expect", the new text; files are named after the language.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { randomNumbers, test_seed } from '../../../../../testing/random.ts';
import { extractedText } from './extracted-text.ts';

const folder = new URL('../../../../../testing/reply-cases/', import.meta.url);

type Case = { title: string; body: string; expected: string };

function casesOf(file: string): Case[] {
  const pieces = readFileSync(new URL(file, folder), 'utf8')
    .split(/^%% (.*)\n/m)
    .slice(1);
  const cases: Case[] = [];
  for (let at = 0; at < pieces.length; at += 4) {
    const [title, body, word, expected] = pieces.slice(at, at + 4);
    assert.equal(word, 'expect', `${file}: ${title}`);
    cases.push({ title: title!, body: body!, expected: expected!.trimEnd() });
  }
  return cases;
}

let count = 0;
for (const file of readdirSync(folder)) {
  for (const { title, body, expected } of casesOf(file)) {
    count++;
    const is_html = /\bhtml\b/.test(title);
    test(`${file.replace('.txt', '')}: ${title} (M3)`, () =>
      assert.equal(
        extractedText(is_html ? { body_text: null, body_html: body } : { body_text: body, body_html: null }),
        expected,
      ));
  }
}

test('there are cases of every kind', () => assert.ok(count >= 400, `${count}`));

const every_introduction = readFileSync(new URL('../reply-introductions.txt', folder), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !/^[#[]/.test(line))
  .map((line) => ({
    is_certain: !line.startsWith('? '),
    text: line.replace('? ', '').replaceAll(' ~ ', '\n'),
  }));

test('every introduction is removed together with its quotation, in text and in HTML (M3)', () => {
  assert.ok(every_introduction.length >= 260, `${every_introduction.length}`);
  const own = 'Yes, both seats please.';
  const escaped = (text: string) =>
    text.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>');
  for (const { is_certain, text } of every_introduction) {
    const of = (body: string) => extractedText({ body_text: body, body_html: null });
    assert.equal(of(`${own}\n\n${text}\n\n> Shall I book two seats?\n> Ana\n`), own, text);
    const unmarked = `${own}\n\n${text}\n\nShall I book two seats?\nAna`;
    assert.equal(of(unmarked), is_certain ? own : unmarked, text);
    const html = `<div>${own}</div><div>${escaped(text)}</div><blockquote>Shall I book two seats?</blockquote>`;
    assert.equal(extractedText({ body_text: null, body_html: html }), own, text);
  }
});

/** The lines that introduce a quotation, one of each language. */
const introductions = readdirSync(folder).flatMap((file) => {
  const first = casesOf(file).find(({ title }) => title === 'Gmail, text, above');
  return first ? [first.body.split('\n')[2]!] : [];
});

test('text of the sender is never lost and no quotation stays, in any order (M3)', () => {
  const { below: pick } = randomNumbers(test_seed);
  const words = (prefix: string) =>
    Array.from({ length: 1 + pick(12) }, () => `${prefix}${pick(1_000_000)}`).join(' ');
  assert.ok(introductions.length >= 20);
  for (let round = 0; round < 500; round++) {
    const lines: string[] = [];
    const own: string[] = [];
    const write = () => {
      for (let count = pick(3); count >= 0; count--) {
        own.push(words('own'));
        lines.push(own.at(-1)!, ...(pick(2) ? [''] : []));
      }
    };
    if (pick(2)) write();
    lines.push(introductions[pick(introductions.length)]!, ...(pick(2) ? [''] : []));
    for (let count = pick(4); count >= 0; count--) {
      for (let quoted = pick(5); quoted >= 0; quoted--) lines.push(`> ${words('old')}`);
      if (pick(2)) lines.push('');
      if (pick(2)) write();
    }
    if (own.length === 0) continue;
    const got = extractedText({ body_text: lines.join('\n'), body_html: null })!;
    const message = `seed ${test_seed}, round ${round}:\n${lines.join('\n')}`;
    assert.deepEqual(got.split(/\n+/), own, message);
  }
});
