// HTML is converted to plain text: visible text stays, hidden text is removed, and no input is slow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HtmlReadOptions, htmlLines, htmlToText } from './text.ts';

const text = (html: string, options: Partial<HtmlReadOptions> = {}) =>
  htmlToText(html, { max_chars: 200_000, ...options });

test('text, lines and entities are converted as a reader sees them', () => {
  assert.equal(
    text('<p>Hello,\n  <b>world</b>&nbsp;&amp; all &#8364;&#x20AC; &eacute; &unknown;</p><p>Bye</p>'),
    'Hello, world & all €€ é &unknown;\n\nBye',
  );
  assert.equal(text('a<br>b<ul><li>c</li><li>d</li></ul>'), 'a\nb\n\n* c\n* d');
  assert.equal(text('<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>d'), 'a b\nc\n\nd');
  assert.equal(text('<p title="a > b">x</p><pre>\n  1\n    2</pre>'), 'x\n\n  1\n    2');
  assert.equal(text('a<blockquote>b<br>c</blockquote>d'), 'a\n\n> b\n> c\n\nd');
  assert.equal(text('1 < 2 and <3'), '1 < 2 and <3');
});

test('scripts, styles and comments are not part of the text', () => {
  assert.equal(text('<title>t</title><style>p{a:b}</style>A<!-- <p>x --><script>if (a<b) c</script>B'), 'AB');
  assert.equal(text('A<script>never closed'), 'A');
  assert.equal(text('A<!-- never closed'), 'A');
});

test('each line has the mark that the caller gave to its part of the page', () => {
  const read = htmlLines('New<div class="old">a<p>b</p></div>more <span class="old">c</span> end', {
    max_chars: 1000,
    markOf: (_, attributes, around) => (attributes.class === 'old' ? 'old' : around),
  });
  assert.deepEqual(
    read.filter(({ text }) => text !== '').map(({ text, mark }) => [text, mark]),
    [
      ['New', null],
      ['a', 'old'],
      ['b', 'old'],
      ['more', null],
      ['c', 'old'],
      ['end', null],
    ],
  );
});

test('a link is followed by its URL, unless its text is the URL', () => {
  const linked = (html: string) => text(html, { links: true });
  assert.equal(
    linked('See <a href="https://a.test/X?a=1&amp;b=2">this <b>page</b></a>, please'),
    'See this page [https://a.test/X?a=1&b=2], please',
  );
  assert.equal(
    linked('<a href="https://a.test/">a.test</a> <a href="mailto:b@a.test">b@a.test</a>'),
    'a.test b@a.test',
  );
  assert.equal(linked('<a href="#top">up</a><a name="x">y</a>'), 'upy');
  assert.equal(linked('<a href="https://a.test/"><img src="x"></a>'), '[https://a.test/]');
  assert.equal(text('<a href="https://a.test/">this</a>'), 'this');
});

test('hostile pages are converted in linear time', { timeout: 15_000 }, () => {
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
    '<td>x',
    '<a href=http://a>',
    '<a href=http://a>x</a>',
    '<i></b>',
    '<p style="color:red;">',
    '<p style="display:\\6eone">x</p>',
    '<style>.a{',
    '<style>.a{}</style>',
    '<style>@media x{',
    '<p class="a b c d">x</p>',
    '"data:',
  ]) {
    text(piece.repeat(1_000_000 / piece.length), { max_chars: 1_000_000, links: true });
  }
});
