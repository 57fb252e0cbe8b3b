// HTML as plain text: what is shown stays, what is not goes, and nothing takes for ever.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlToText } from './html-text.ts';

const text = (html: string, leaveOut?: (name: string, tag: string) => boolean) =>
  htmlToText(html, { max_chars: 200_000, ...(leaveOut ? { leaveOut } : {}) });

test('words, lines and entities are as a reader sees them', () => {
  assert.equal(
    text('<p>Hello,\n  <b>world</b>&nbsp;&amp; all &#8364;&#x20AC; &unknown;</p><p>Bye</p>'),
    'Hello, world & all €€ &unknown;\n\nBye',
  );
  assert.equal(text('a<br>b<ul><li>c</li><li>d</li></ul>'), 'a\nb\n\nc\n\nd');
  assert.equal(text('1 < 2 and <3'), '1 < 2 and <3');
});

test('scripts, styles and comments are no words', () => {
  assert.equal(text('<title>t</title><style>p{a:b}</style>A<!-- <p>x --><script>if (a<b) c</script>B'), 'AB');
  assert.equal(text('A<script>never closed'), 'A');
  assert.equal(text('A<!-- never closed'), 'A');
});

test('what is to be left out goes with everything inside it', () => {
  const quotes = (name: string, tag: string) => name === 'blockquote' || tag.includes('gmail_quote');
  assert.equal(text('New<blockquote>old<blockquote>older</blockquote></blockquote>more', quotes), 'Newmore');
  assert.equal(text('New<div class="gmail_quote">old<div>x</div></div>', quotes), 'New');
});

test('pages made to be slow are not', { timeout: 5000 }, () => {
  for (const piece of [
    '<div>',
    '</x>',
    '<',
    '<a',
    '<!--',
    '<style>',
    '<blockquote>',
    '&',
    '&#',
    ' ',
    '<table><tr><td>',
    'a<br>',
  ]) {
    text(piece.repeat(200_000 / piece.length), (name) => name === 'blockquote');
  }
});
