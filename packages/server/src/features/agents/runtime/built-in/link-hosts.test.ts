// Which links in the text of an agent are found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignHosts, linkHosts, linkProblem } from './link-hosts.ts';

test('links are found with and without a scheme, whatever hides their host', () => {
  for (const [text, host] of [
    ['See https://evil.example/x.', 'evil.example'],
    ['See HTTPS://Evil.Example:8443?a', 'evil.example'],
    ['https://shop.example@evil.example/pay', 'evil.example'],
    ['go to evil.com now', 'evil.com'],
    ['go to evil.com.', 'evil.com'],
    ['www.evil.museum', 'www.evil.museum'],
    ['evil.museum/pay', 'evil.museum'],
    ['(evil.com)', 'evil.com'],
    ['https://ev\u200bil.com', 'evil.com'],
    ['ｈｔｔｐｓ://evil.com', 'evil.com'],
    ['https://bücher.example', 'xn--bcher-kva.example'],
    ['https://192.0.2.1/x', '192.0.2.1'],
    ['ftp://files.example', 'files.example'],
  ] as const)
    assert.deepEqual(linkHosts(text), [host], text);
});

test('ordinary words, times, amounts and addresses are no links', () => {
  for (const text of [
    'See you at 10.30 p.m. on Friday.',
    'It costs 1.200,50 EUR.Thanks for asking',
    'Write to ana@example.com or ana.b@mail.example.com.',
    'Dr.Weber is in.We open at 8, e.g. tomorrow',
    'Version 1.2.3 is out',
    '',
  ])
    assert.deepEqual(linkHosts(text), [], text);
});

test('only listed hosts are allowed, not those below or beside them', () => {
  const allowed = ['shop.example'];
  assert.deepEqual(foreignHosts('https://shop.example/a shop.example/b', allowed), []);
  const text = 'https://x.shop.example https://shop.example.evil.example https://evilshop.example';
  assert.equal(foreignHosts(text, allowed).length, 3);
  assert.match(linkProblem('evil.com', allowed)!, /^(?!.*evil).*only links to shop\.example/);
  assert.equal(linkProblem('no link', []), null);
});

/** Text of an agent, and the host that a phone or a mail program opens. */
const hidden: [string, string][] = [
  ['Pay at:evil.com/pay', 'evil.com'],
  ['or //evil.com/p', 'evil.com'],
  ['Link:www.evil.com', 'www.evil.com'],
  ['see :evil.com/path', 'evil.com'],
  ['https:/evil.com', 'evil.com'],
  ['https:evil.com', 'evil.com'],
  ['https:\\\\evil.com', 'evil.com'],
  ['_evil.com/p_', 'evil.com'],
  ['*evil.com*', 'evil.com'],
  ['`evil.com`', 'evil.com'],
  ['[here](evil.com)', 'evil.com'],
  ['1.2.3.4/login', '1.2.3.4'],
  ['go to 1.2.3.4', '1.2.3.4'],
  ['http://2130706433/x', '127.0.0.1'],
  ['http://0x7f000001', '127.0.0.1'],
  ['//2130706433/x', '127.0.0.1'],
  ['0x7f.0x0.0x0.0x1/x', '127.0.0.1'],
  ['http://[2001:db8::1]/x', '[2001:db8::1]'],
  ['[2001:db8::1]/x', '[2001:db8::1]'],
  ['evil.zip', 'evil.zip'],
  ['evil.support', 'evil.support'],
  ['Evil.Support', 'evil.support'],
  ['evil.pw', 'evil.pw'],
  ['evil.co.uk', 'evil.co.uk'],
  ['evil.so now', 'evil.so'],
  ['a,evil.support,b', 'evil.support'],
  ['+evil.support', 'evil.support'],
  ['-evil.support-', 'evil.support'],
  ['/evil.support', 'evil.support'],
  ['@evil.support', 'evil.support'],
  ['user:evil.support', 'evil.support'],
  ['evil.com.Thanks for asking', 'evil.com'],
  ['evil.com...Thanks', 'evil.com'],
  ['evil.com:8080', 'evil.com'],
  ['evil.unknown:8080/x', 'evil.unknown'],
  ['ana@evil.com/pay', 'evil.com'],
  ['https://shop.example\\@evil.com', 'shop.example'],
  ['hxxp://evil.com', 'evil.com'],
  ['hxxps[:]//evil[.]com', 'evil.com'],
  ['evil[.]support', 'evil.support'],
  ['evil(dot)com', 'evil.com'],
  ['evil dot com', 'evil.com'],
  ['evil. com', 'evil.com'],
  ['evil\u3002com', 'evil.com'],
  ['evil\uff0ecom', 'evil.com'],
  ['evil\uff61support', 'evil.support'],
  ['ｅｖｉｌ．ｃｏｍ', 'evil.com'],
  ['ev\u200bil.sup\u00adport', 'evil.support'],
  ['evil\u2060.\ufeffcom', 'evil.com'],
  ['ev\u034fil.com', 'evil.com'],
  ['evil.c\ufe0fom', 'evil.com'],
  ['evil\n.support', 'evil.support'],
  ['evil.\nsupport', 'evil.support'],
  ['https:\n//evil.support/x', 'evil.support'],
  ['https://\nevil.support', 'evil.support'],
  ['bücher.support', 'xn--bcher-kva.support'],
  ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
  ['evil.xn--p1ai', 'evil.xn--p1ai'],
  ['例え.みんな', 'xn--r8jz45g.xn--q9jyb4c'],
  ['https://ok.example)evil.support', 'evil.support'],
  ['m.me', 'm.me'],
  ['t.co/x', 't.co'],
];
for (const [text, host] of hidden)
  test(`S14: ${JSON.stringify(text)} is a link`, () => {
    assert.ok(linkHosts(text).includes(host), JSON.stringify(linkHosts(text)));
    assert.ok(linkProblem(text, ['shop.example', 'ok.example']) !== null);
  });

const ordinary = [
  'We sell pens, e.g. blue ones, i.e. the usual.',
  'It weighs 3.5 kg and costs 1.200,50 EUR or $1,200.50.',
  'Dr.Smith and Dr.Weber are in.We open at 8.',
  'This is the end.Next sentence begins here.',
  'The file report.pdf is attached, with notes.docx, photo.jpg and table.xlsx.',
  'See you on 19.11.2026 at 10.30 p.m. or 10:30:15.',
  'Call +49 30 1234567 or 555.123.4567.',
  'Write to ana@example.com, ana.b@mail.example.co.uk or <first.last+tag@evil.support>.',
  'Version 1.2.3 of Node.js is out, see section 4.2.1.',
  'Thanks...and goodbye. U.S. and U.K. customers, a.k.a. all of you.',
  'He said: and/or, 24/7, 3/4, w/o, //comment',
  'Müller GmbH & Co.KG, z.B. in St.Gallen, d.h. dort. Nr.5',
  'S.p.A., S.L., Ph.D., p.s., Inc., etc.',
  'これはペンです。今日は良い天気です。',
  '我们营业。欢迎光临。',
  "Het is klaar. Tot morgen. C'est fini. Merci!",
  'The line ends here.\nAnd goes on.\nIt is late.',
  'Rated 4.5/5 by 1.234 people, 99.9% of them happy :) :/',
  'C++ uses std::vector, and the ratio is 16:9.',
  'Ca. 5 Min. zu Fuß.',
];
for (const text of ordinary)
  test(`S14: ${JSON.stringify(text.slice(0, 40))}... has no link`, () => {
    assert.deepEqual(linkHosts(text), []);
  });

test('S14: words that are hosts as well count as links', () => {
  // Wrong for these texts; but each of them opens a page of whoever registers the name.
  for (const text of ['archive.zip', 'main.rs', 'README.md', 'done.It is', 'Mr.Black', 'version 1.2.3.4'])
    assert.notDeepEqual(linkHosts(text), [], text);
});

test('S14: a long hostile text is read to its end', () => {
  const chars = 1_000_000;
  // With work that grows with the square of the length, none of them would end before the test is given up.
  for (const piece of [
    'a',
    'a.',
    '.',
    'a@',
    '@',
    ':/',
    '://',
    '[',
    '[.',
    'a_',
    'http:',
    'a:\\\\',
    ' dot ',
    '\n.',
    '0x',
    '::',
  ]) {
    const text = piece.repeat(Math.ceil(chars / piece.length));
    assert.ok(linkHosts(`${text} evil.support`).includes('evil.support'), piece);
  }
});
