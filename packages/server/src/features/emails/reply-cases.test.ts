// Replies as mail programs write them, in many languages: which words are the sender's (M3).
// A case is "%% program, form, …", the body, "%% expect", the words; files are named after the language.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { extractedText } from './extracted-text.ts';

const folder = new URL('../../../testing/reply-cases/', import.meta.url);

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

test('there are cases of every kind', () => assert.ok(count >= 300, `${count}`));
