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
