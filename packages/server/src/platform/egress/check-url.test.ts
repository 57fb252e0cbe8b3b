// The early URL check refuses URLs that could never be contacted, with the reason.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressPolicy, type PrivateTargets } from './address-policy.ts';
import { checkUrl } from './check-url.ts';

const open = addressPolicy({ private_targets: 'allow', require_https: false });
const open_https = addressPolicy({ private_targets: 'allow', require_https: true });
const strict = addressPolicy({ private_targets: 'deny', require_https: true });
const strict_http = addressPolicy({ private_targets: 'deny', require_https: false });
const listed = (private_targets: PrivateTargets) => addressPolicy({ private_targets, require_https: false });

const verdict = (text: string, policy = strict_http) => {
  const checked = checkUrl(text, policy);
  return checked.ok ? 'ok' : checked.reason;
};

test('a valid URL is returned parsed', () => {
  const checked = checkUrl('https://Example.com:8443/a b?c=d', strict);
  assert.ok(checked.ok);
  assert.equal(checked.url.href, 'https://example.com:8443/a%20b?c=d');
});

test('only absolute http and https URLs are accepted', () => {
  for (const text of [
    '',
    'example.com',
    '/path',
    'http://',
    'https://exa mple.com',
    'http://[::1',
    'http://256.1.1.1',
    // Not rewritten (M9).
    'https://exam\r\nple.com/',
    'https://exam\tple.com/',
    ' https://example.com/',
    'https://example.com/ ',
    'https://example.com/\u0000',
  ]) {
    assert.equal(verdict(text, open), 'url_invalid', text);
  }
  for (const text of [
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:,x',
    'ws://example.com',
    'example.com:80',
  ]) {
    assert.equal(verdict(text, open), 'scheme_not_allowed', text);
  }
});

test('a URL with a user name or a password is refused', () => {
  assert.equal(verdict('https://user:pass@example.com/', open), 'credentials_in_url');
  assert.equal(verdict('https://user@example.com/', open), 'credentials_in_url');
  assert.equal(verdict('https://:pass@example.com/', open), 'credentials_in_url');
});

test('2048 characters are accepted, one more is too long', () => {
  const start = 'https://example.com/';
  assert.equal(verdict(start + 'a'.repeat(2048 - start.length)), 'ok');
  assert.equal(verdict(start + 'a'.repeat(2049 - start.length)), 'url_too_long');
});

test('every spelling of an address that is not allowed is refused', () => {
  const hosts = ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::1]', '[::ffff:127.0.0.1]'];
  hosts.push(
    '[::ffff:7f00:1]',
    '0.0.0.0',
    '[::]',
    '169.254.169.254',
    '100.64.0.1',
    '10.0.0.1',
    '[fd00::1]',
    '[fe80::1]',
  );
  hosts.push('[64:ff9b::7f00:1]', '224.0.0.1', '１２７.0.0.1', '[::127.0.0.1]', '127.0.0.1.');
  hosts.push('localhost', 'LOCALHOST', 'localhost.', 'api.localhost');
  for (const host of hosts) assert.equal(verdict(`https://${host}/`, strict), 'target_not_allowed', host);
});

test('where private targets are allowed, their addresses and localhost are accepted', () => {
  for (const host of ['127.0.0.1:3000', '[::1]:3000', 'localhost:3000', '10.0.0.1', '[fd00::1]']) {
    assert.equal(verdict(`http://${host}/`, open), 'ok', host);
  }
  assert.equal(verdict('http://169.254.169.254/', open), 'target_not_allowed');
});

test('localhost is accepted when either of its loopback addresses is listed', () => {
  assert.equal(verdict('http://localhost/', listed(['127.0.0.0/8'])), 'ok');
  assert.equal(verdict('http://localhost/', listed(['::1/128'])), 'ok');
  assert.equal(verdict('http://localhost/', listed(['10.0.0.0/8'])), 'target_not_allowed');
});

test('where https is required, plain http is refused except for an allowed loopback address', () => {
  assert.equal(verdict('http://example.com/', strict), 'https_required');
  assert.equal(verdict('http://93.184.216.34/', strict), 'https_required');
  assert.equal(verdict('http://10.0.0.1/', open_https), 'https_required');
  assert.equal(verdict('http://localhost:3000/', open_https), 'ok');
  assert.equal(verdict('http://127.0.0.1:3000/', open_https), 'ok');
  assert.equal(verdict('http://127.0.0.1:3000/', strict), 'target_not_allowed');
  assert.equal(verdict('https://93.184.216.34/', strict), 'ok');
});

test('a name that needs DNS is checked when the connection is made', () => {
  assert.equal(verdict('https://internal.example.com/', strict), 'ok');
  assert.equal(verdict('https://notlocalhost/', strict), 'ok');
  assert.equal(verdict('https://localhost.example.com/', strict), 'ok');
});
